import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonKind } from '../../json/json-kind.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'
import { changesSince, changeWords, readOldSummary } from './compare-summaries.ts'
import type { Summary, SummaryRow } from './summary-schema.ts'

type Kinds = Partial<Record<JsonKind, number>>

function rowOf(records: number, fields: Readonly<Record<string, Kinds>> = {}, name = 'orders'): SummaryRow {
  const names = Object.entries(fields).map(([field, some]) => {
    const kinds = { string: 0, number: 0, boolean: 0, null: 0, object: 0, array: 0, ...some }
    return { name: field, kinds, records: Object.values(kinds).reduce((sum, count) => sum + count, 0) }
  })
  return {
    name,
    table: name,
    digest: null,
    counts: { records },
    requests: 0,
    attempts: 0,
    retries: { throttled: 0, server: 0, network: 0, timeout: 0 },
    fetch_pauses: null,
    lag: null,
    fields: records === 0 ? null : { sampled: records, names, others: 0 },
  }
}
const summaryOf = (rows: SummaryRow[], result: Summary['result'] = 'done') => ({ rows, result }) as Summary
const changes = (before: SummaryRow, now: SummaryRow, result?: Summary['result']): string[] =>
  changesSince(summaryOf([before], result), summaryOf([now])).map(
    ({ what, field, before, now }) => `${what} ${field} ${before} ${now}`,
  )

test('fields that are new, gone or of another kind are changes; rare ones, and nulls, are none', () => {
  const before = {
    id: { number: 1000 },
    mail: { string: 900 },
    total: { number: 1000 },
    rare: { string: 9 },
    late: { null: 1000 },
  }
  const now = {
    id: { number: 1000 },
    email: { string: 900 },
    total: { string: 20, number: 980 },
    odd: { string: 9 },
    late: { string: 1000 },
  }
  expect(changes(rowOf(1000, before), rowOf(1000, now))).toEqual([
    'field-gone mail string null',
    'field-new email null string',
    'field-kind total number string, number',
  ])
  expect(changes(rowOf(1000, now), rowOf(1000, { ...now, total: { number: 1000, null: 5 } }))).toEqual([])
  const few = { ...now, total: { string: 989, number: 9, null: 2 }, id: { number: 1000, string: 9 } }
  expect(changes(rowOf(1000, { ...now, total: { string: 989 } }), rowOf(1000, few))).toEqual([])
})

test('a stream without records, and a count that moved by more than half, are changes, after a run that was done', () => {
  expect(changes(rowOf(5), rowOf(0))).toEqual(['no-records null 5 0'])
  expect(changesSince(summaryOf([rowOf(5)]), summaryOf([]))).toHaveLength(1)
  expect(changes(rowOf(4000), rowOf(1999))).toEqual(['count-moved null 4000 1999'])
  expect(changes(rowOf(4000), rowOf(6001))).toEqual(['count-moved null 4000 6001'])
  for (const [before, now] of [
    [4000, 2000],
    [4000, 6000],
    [999, 9999],
    [5000, 999],
    [0, 5000],
  ] as const)
    expect(changes(rowOf(before), rowOf(now))).toEqual([])
  expect(changes(rowOf(5), rowOf(0), 'failed')).toEqual([])
})

test('a field that a small sample may have among the others is neither new nor gone', () => {
  const [all, few] = [rowOf(2000, { id: { number: 2000 }, note: { string: 2000 } }), rowOf(9, { id: { number: 9 } })]
  const untold = { ...few, fields: { ...few.fields!, others: 9 } }
  expect(changes(all, untold)).toEqual([])
  expect(changes(untold, all)).toEqual([])
  expect(changes(all, few)).toEqual(['field-gone note string null'])
  // a field of 1 % of so many would be told
  const many = rowOf(1000, { id: { number: 1000 } })
  expect(changes(all, { ...many, fields: { ...many.fields!, others: 900 } })).toEqual(['field-gone note string null'])
})

test('many changes are a few lines', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`f${nth}`, { number: 1000 }]))
  const changed = changesSince(summaryOf([rowOf(1000)]), summaryOf([rowOf(1000, many)]))
  const words = changeWords(changed, 'stream')
  expect(words).toHaveLength(21)
  expect(words[0]).toBe(
    'Stream "orders", table "orders": its records have a field "f0" (number), which they did not have in the earlier run.',
  )
  expect(words[20]).toBe('10 more changes are in the summary.')
  expect(changeWords(changed, 'topic')[0]).toMatch(/^Topic "orders", table "orders": its records/)
})

const folder = ownFolder('test')

test('of a file that is not there yet another is proposed, but for one that this run will write', async () => {
  await writeFile(join(folder, 'old.json'), '{}')
  const file = join(folder, 'olds.json')
  const said: string[] = []
  const log = (_level: string, message: string): Promise<void> => Promise.resolve(void said.push(message))
  expect(await readOldSummary(file, log)).toBeUndefined()
  expect(await readOldSummary(file, log, file)).toBeUndefined()
  expect(said).toEqual([
    expect.stringMatching(/is no file ".*olds\.json".*Did you mean ".*old\.json"\?$/),
    expect.stringMatching(/is no file ".*olds\.json".* nothing is compared\.$/),
  ])
})
