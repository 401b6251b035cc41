// Partitions that are taken away while rows of them wait to be sent, in every phase of a run: none of them is sent afterwards.

import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Outcome } from '../../core/types.ts'
import { delivering, row, rows, until } from './testing/delivery.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { recordOf } from './testing/topics.ts'

const again = (): Promise<Outcome> =>
  Promise.resolve({ status: 'retry', cause: 'server', ambiguous: false, congestion: false, reason: 'again' })
const never = new AbortController().signal
/** At offset 25 the run fails, and what comes before is still delivered. */
const failing = [...rows(0, 25), recordOf(null, '25', 25n), ...rows(26, 30)]
/** Several retries. */
const A_WHILE_MS = 1200

it('a run that fails lets go at once of what is revoked, and ends: nothing of it is repeated', async () => {
  const { source, consumer } = sourceOf({ tombstones: 'fail' })
  const { run, sent } = delivering(source, again)
  const ended = expect(run).rejects.toThrow(/tombstones/)
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, failing))
  await until(() => sent.length >= 50)
  const before = sent.length
  await source.revoked(never)
  source.assigned([position(0, 0n)])
  await ended
  expect(sent).toHaveLength(before)
  expect(consumer.committed).toEqual(new Map())
})

it('a run that fails awaits what is under way of a revoked partition, and repeats none of it', async () => {
  const { source } = sourceOf({ tombstones: 'fail' })
  const answers: (() => void)[] = []
  const { run, sent } = delivering(source, async () => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return again()
  })
  const ended = expect(run).rejects.toThrow(/tombstones/)
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, failing))
  await until(() => answers.length === 3)
  let isLetGo = false
  const letGo = source.revoked(never).then(() => (isLetGo = true))
  await pause(20)
  expect(isLetGo).toBe(false)
  for (const answer of answers) answer()
  await letGo
  await ended
  expect(sent).toHaveLength(25)
})

it('a run that fails sends nothing of a partition that was lost, also when it is assigned again at once', async () => {
  const { source } = sourceOf({ tombstones: 'fail' })
  const { run, sent } = delivering(source, again)
  const ended = expect(run).rejects.toThrow(/tombstones/)
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, failing))
  await until(() => sent.length >= 50)
  const before = sent.length
  source.lost()
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, rows(0, 25)))
  await ended
  await pause(A_WHILE_MS)
  expect(sent).toHaveLength(before)
})

it('nothing begins in the very moment of a loss, neither what waited for a permit nor what is still to be taken', async () => {
  const { source } = sourceOf()
  const answers: (() => void)[] = []
  const { run, stop, sent } = delivering(source, async () => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return { status: 'delivered' }
  })
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, rows(0, 900)))
  await until(() => answers.length === 4)
  for (const answer of answers.splice(0)) answer()
  source.lost()
  await pause(20)
  expect(sent).toHaveLength(40)
  // as another assignment it is read anew
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, [row(0, 0, 7)]))
  await until(() => answers.length === 1)
  expect(sent.at(-1)).toMatchObject({ id: 0, v: 7, at: 0 })
  answers[0]!()
  await until(() => source.partitions[0]!.isDue)
  stop.abort()
  await run
})

it('a run that is stopped lets go of what is revoked when its last attempts have ended, and sends nothing more', async () => {
  const { source } = sourceOf()
  const answers: (() => void)[] = []
  const { run, stop, sent } = delivering(source, async () => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return again()
  })
  source.assigned([position(0, 0n)])
  source.batch(batchOf(0, rows(0, 90)))
  await until(() => answers.length === 4)
  stop.abort()
  const letGo = source.revoked(never)
  for (const answer of answers) answer()
  expect(await run).toBe('stopped')
  source.end()
  await letGo
  expect(sent).toHaveLength(40)
})
