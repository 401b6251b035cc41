// Dead letters for tests: an ordinary one, and any.

import {
  array,
  bigInt,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  string,
  stringMatching,
  tuple,
  uint8Array,
} from 'fast-check'
import type { Arbitrary } from 'fast-check'
import type { DeadLetter } from '../dead-letter.ts'
import type { KafkaHeader, KafkaRecord } from '../../types.ts'

/** @param of members of the letter or of its record that differ from the ordinary one's */
export function letterOf(of: Partial<DeadLetter & KafkaRecord>, at: Partial<DeadLetter> = {}): DeadLetter {
  const { key, value, headers, offset, timestamp, ...letter } = of
  const record = {
    offset: offset ?? 9_007_199_254_740_993n,
    timestamp: timestamp ?? 1_732_222_222_222n,
    key: key === undefined ? Buffer.from('k') : key,
    value: value === undefined ? Buffer.from('{"id":1}') : value,
    headers: headers ?? [],
  }
  const ordinary = { topic: 'orders', partition: 3, reason: 'refused', error: 'amount is too large' }
  return { ...ordinary, superseded: 0, supersededAt: [], ...letter, ...at, record }
}

const bytes = oneof(
  constant(null),
  uint8Array({ maxLength: 40 }).map((some) => Buffer.from(some)),
)

/** Ours and nearly ours, names that objects order or hide, and any. */
const headerName = oneof(
  tuple(
    constantFrom(
      'reason',
      'error',
      'topic',
      'partition',
      'offset',
      'timestamp',
      'superseded',
      'superseded_at',
      'route',
      'table',
      'other',
    ),
    constantFrom('', '_', '__', '_x', ' '),
  ).map(([name, tail]) => `dlq.${name}${tail}`),
  constantFrom('', '1', '0', '__proto__', 'constructor', 'toString', 'trace', 'é\u2028'),
  string({ unit: 'binary', maxLength: 8 }),
)

const anyRecord: Arbitrary<KafkaRecord> = record({
  offset: bigInt(0n, 2n ** 63n - 1n),
  timestamp: bigInt(-1n, 2n ** 63n - 1n),
  key: bytes,
  value: bytes,
  headers: array(
    tuple(headerName, bytes).map((header): KafkaHeader => header),
    { maxLength: 8 },
  ),
})

const topic = stringMatching(/^[a-zA-Z0-9._-]{1,20}$/)
const partition = nat(999)

const named = string({ unit: 'grapheme', minLength: 1, maxLength: 20 })

export const anyLetter: Arbitrary<DeadLetter> = record(
  {
    record: anyRecord,
    topic,
    partition,
    reason: constantFrom('rejected', 'refused'),
    error: string({ unit: 'grapheme', maxLength: 60 }),
    superseded: oneof(constant(0), nat(5)),
    supersededAt: array(record({ topic, partition, offset: bigInt(0n, 2n ** 63n - 1n) }), { maxLength: 3 }),
    route: named,
    table: named,
  },
  { requiredKeys: ['record', 'topic', 'partition', 'reason', 'error', 'superseded', 'supersededAt'] },
)
