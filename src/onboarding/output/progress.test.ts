import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { displayWidth } from '../../text/printable.ts'
import type { StepReport } from '../types.ts'
import { lineProgress, STEPS } from './progress.ts'
import { terminalLine, terminalProgress } from './terminal-progress.ts'

const report = (more: Partial<StepReport>): StepReport => ({
  step: 'client',
  state: 'waiting',
  word: 'Queued',
  polls: 2,
  elapsedMs: 12_345,
  ...more,
})

it('fits the terminal, whatever the service says', () => {
  const reports = fc.record({
    step: fc.constantFrom(...STEPS),
    state: fc.constantFrom('working', 'waiting', 'done', 'before', 'failed', 'asks', 'stopped'),
    word: fc.option(fc.string({ unit: 'grapheme', maxLength: 200 }), { nil: undefined }),
    polls: fc.nat(100_000),
    elapsedMs: fc.nat(1e8),
  }) as fc.Arbitrary<StepReport>
  fc.assert(
    fc.property(reports, fc.integer({ min: 1, max: 200 }), (report, width) => {
      const line = terminalLine(report, width)
      expect(displayWidth(line)).toBeLessThanOrEqual(width)
      // oxlint-disable-next-line no-control-regex
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }),
  )
})

it('cuts the service’s word first on a narrow terminal', () => {
  const line = '2/7 Create client: waiting, 12.3 s, 2 polls (Queued) …'
  expect([54, 53, 44].map((width) => terminalLine(report({}), width))).toEqual([
    line,
    '2/7 Create client: waiting, 12.3 s, 2 polls (Queued)…',
    '2/7 Create client: waiting, 12.3 s, 2 polls…',
  ])
})

it('rewrites the running step, and leaves it when it is over', () => {
  let text = ''
  let now = 0
  const ticks: (() => void)[] = []
  const clock = {
    now: () => now,
    wait: () => new Promise<void>((resolve) => ticks.push(resolve)),
  }
  {
    using progress = terminalProgress({ write: (part) => (text += part), columns: () => 62, clock })
    progress.step(report({ state: 'working', word: undefined, polls: 0, elapsedMs: 0 }))
    now = 2_000
    progress.note('something worth a line of its own that is rather long, and so is broken')
    progress.step(report({ state: 'done', elapsedMs: 3_000 }))
  }
  expect(text.split('\n').map((line) => line.split('\r\u001b[2K').at(-1))).toEqual([
    '    something worth a line of its own that is rather long,',
    '    and so is broken',
    '2/7 Create client: done, 3.0 s, 2 polls (Queued)',
    '',
  ])
  expect(text).toContain('working')
})

it('clears what a terminal that became narrower has folded', () => {
  let text = ''
  let columns = 80
  const clock = { now: () => 0, wait: () => new Promise<void>(() => {}) }
  using progress = terminalProgress({ write: (part) => (text += part), columns: () => columns, clock })
  progress.step(report({}))
  columns = 20
  text = ''
  progress.step(report({}))
  // 54 characters in rows of 20: two rows up, everything below cleared, and a line that fits
  expect(text).toBe('\r\u001b[2A\u001b[J2/7 Create client:…')
  text = ''
  progress.note('moved')
  expect(text.startsWith('\r\u001b[2K    moved\n')).toBe(true)
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
