import { expect, test } from 'vitest'
import { unpainted } from '../../process/paint.ts'
import { dryRunText } from './dry-run-text.ts'
import type { DryRun } from './dry-run-schema.ts'

/** @param places of rejected records, a row each
 *  @param records of each */
function textOf(places: readonly { readonly name: string; readonly table: string | null }[], records = 2): string {
  const dry: DryRun = {
    program: 'destination-analytics-service',
    schema_version: 1,
    version: '0.0.0',
    command: 'stream',
    result: 'done',
    error: null,
    rows: places.map((of) => ({ ...of, digest: null, records, rejected: 1, fields: null })),
    tables: [],
    changes: null,
    rejected: places.map((of) => ({ ...of, by: 'rejected', reason: 'no key', records: 1, first: 'offset 1' })),
    longest_line: null,
    offsets: [],
    warnings: [],
  }
  return dryRunText(dry, 'topic', Infinity, unpainted)
}

test('a topic is named with its table where it has several, and alone where it has one or none', () => {
  const text = textOf([
    { name: 'orders', table: 'shop_orders' },
    { name: 'events', table: 'clicks' },
    { name: 'events', table: 'views' },
    { name: 'events', table: null },
  ])
  expect(text.match(/^Of .*(?=: no key)/gm)).toEqual([
    'Of topic "orders", 1 record is rejected',
    'Of topic "events", table "clicks", 1 record is rejected',
    'Of topic "events", table "views", 1 record is rejected',
    'Of topic "events", 1 record is rejected',
  ])
})

test('where no record came, it is not called good', () => {
  const orders = { name: 'orders', table: 'orders' }
  expect(textOf([orders])).toContain('\nGood: stream would take all but 1 rejected record.')
  expect(textOf([orders], 0)).toMatch(/\nEmpty: no record came, so stream would store nothing\.\n$/)
})
