import { expect, it } from 'vitest'
import { Provenance, type ProvenanceColumn } from './provenance.ts'

it('tells a time of each chunk, in one form, asked for at its first record', () => {
  let now = Date.UTC(2026, 0, 31, 23, 59, 59)
  const provenance = new Provenance('', () => now++)
  const times = [0, 1].flatMap(() => {
    provenance.nextChunk()
    return [provenance.jsonOf('_loaded_at'), provenance.jsonOf('_loaded_at')]
  })
  expect(times).toEqual([
    '"2026-01-31T23:59:59.000Z"',
    '"2026-01-31T23:59:59.000Z"',
    '"2026-01-31T23:59:59.001Z"',
    '"2026-01-31T23:59:59.001Z"',
  ])
})

it.each<[ProvenanceColumn, string]>([
  ['_run_id', '"run-1"'],
  ['_kafka_topic', '"a.b-c_d"'],
  ['_kafka_partition', '2147483647'],
  ['_kafka_offset', '9223372036854775807'],
  ['_kafka_timestamp', '1700000000000'],
])('tells %s to the last digit: %s', (column, value) => {
  const provenance = new Provenance('run-1', () => 0)
  provenance.nextRecord('a.b-c_d', 2_147_483_647, { offset: 9_223_372_036_854_775_807n, timestamp: 1_700_000_000_000n })
  expect(provenance.jsonOf(column)).toBe(value)
})

it('has any topic, and says how much room that takes', () => {
  const provenance = new Provenance('', () => 0)
  for (const topic of ['a"b\u0000é😀\ud800', '\u0001'.repeat(1000), '']) {
    provenance.nextRecord(topic, 0, { offset: 0n, timestamp: 0n })
    const value = provenance.jsonOf('_kafka_topic')
    expect(JSON.parse(value)).toBe(topic)
    expect(Buffer.byteLength(value)).toBeLessThanOrEqual(provenance.longest)
  }
})

it('has null for a record without a time', () => {
  const provenance = new Provenance('', () => 0)
  provenance.nextRecord('t', 0, { offset: 0n, timestamp: -1n })
  expect(provenance.jsonOf('_kafka_timestamp')).toBe('null')
})
