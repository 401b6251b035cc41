import { expect, test } from 'vitest'
import { Batch } from '../batch.ts'
import { isLost } from '../shares.ts'
import { Ledger } from '../ledger.ts'
import { Rejecting } from './rejecting.ts'
import { Tables } from '../tables.ts'
import { recordOf } from '../testing/bodies.ts'
import type { RecordItem, Track } from '../types.ts'

const LIMITS = { maxPoints: 10, maxBytes: 1000, maxWaitMs: 1000, lingerMs: 0 }
const [lost, kept]: Track[] = [{ name: 'lost' }, { name: 'kept' }]

test('records of a track that is lost while their reject is made durable are let go of, those of others stay', async () => {
  const ledger = new Ledger<number>()
  const tables = new Tables<number>(LIMITS, 1)
  const stored = Promise.withResolvers<readonly RecordItem<number>[]>()
  const rejects = { overlaps: true, placeOf: () => undefined, put: () => stored.promise }
  const clock = { now: () => 0, random: () => 0, wait: () => Promise.resolve() }
  const rejecting = new Rejecting({ rejects, clock }, ledger, tables)
  // the row's newest version is of one track, an older one of the other
  const table = { name: 'orders', keepLast: true }
  for (const track of [lost!, kept!])
    tables.add(recordOf('{"v":1}', { track, table, origin: 0 }), ledger.receive(track), 0)
  const body = tables.takeDue(0, true)!
  const refused = rejecting.refused(new Batch(body), 'poison', new AbortController().signal)
  const isLetGo: string[] = []
  const state = ledger.close(lost!, 'lost', () => isLetGo.push('lost'))
  expect(tables.forget(isLost)).toEqual([])
  ledger.closeIfDone(state)
  expect(isLetGo).toEqual([])
  const rejectedRecords = { name: 'rejected_records', keepLast: false }
  stored.resolve([recordOf('{"v":1}', { track: kept!, key: undefined, table: rejectedRecords, origin: 0 })])
  await refused
  expect(isLetGo).toEqual(['lost'])
  expect(ledger.outstanding).toBe(1)
  expect(tables.takeDue(0, true)!.points).toHaveLength(1)
})
