import { expect, it } from 'vitest'
import type { StepReport } from '../step-progress.ts'
import { lineProgress } from './progress.ts'

const report = (more: Partial<StepReport>): StepReport => ({
  step: 'client',
  state: 'waiting',
  word: 'Queued',
  polls: 2,
  elapsedMs: 12_345,
  ...more,
})

it('says in plain lines only what is news', () => {
  const lines: string[] = []
  const progress = lineProgress((line) => lines.push(line))
  progress.step(report({ state: 'working', word: undefined, polls: 0, elapsedMs: 0 }))
  progress.step(report({ elapsedMs: 1_000, polls: 1 }))
  progress.step(report({ elapsedMs: 2_000, polls: 2 }))
  progress.step(report({ elapsedMs: 31_500, polls: 9 }))
  progress.step(report({ word: 'Running', elapsedMs: 32_000, polls: 10 }))
  progress.note('a\u001b[2J')
  progress.step(report({ state: 'done', word: 'completed', elapsedMs: 125_000, polls: 11 }))
  expect(lines).toEqual([
    '2/7 Create client: working …',
    '2/7 Create client: waiting, 1.0 s, 1 poll (Queued) …',
    '2/7 Create client: waiting, 31.5 s, 9 polls (Queued) …',
    '2/7 Create client: waiting, 32.0 s, 10 polls (Running) …',
    '    a?[2J',
    '2/7 Create client: done, 2 min 5 s, 11 polls (completed)',
  ])
})
