// The kinds of streams a soak writes, and records of each: hot keys, keys that are written in several ways, records that are
// equal, large, hostile or cannot be stored. Seeded; latin1, one character a byte.

import type { Random } from '../engine/random.ts'
import { NAMES, nested, oneOf, VALUES } from '../fuzz/hostile.ts'

/** Bytes of a body that the service takes; a record beyond it cannot be stored. */
export const MAX_BODY = 400_000

/** What a table holds when everything has arrived: the newest record of each key; every record once; every record at least
 *  once; each different `data` once. */
export type Rows = 'newest' | 'every' | 'restamped' | 'collapsed'

export interface Kind {
  readonly name: string
  readonly namespace?: string
  readonly rows: Rows
  /** Its rows change again and again. */
  readonly hot: boolean
  readonly key: readonly (readonly string[])[]
  readonly fields: readonly string[]
  /** Members of the stream in the catalog, but for its name. */
  readonly configured: object
  /** Of its entry in the option `streams`. */
  readonly options?: object
  /** The members that come first in record `index`. */
  readonly own: (random: Random, index: number) => string[]
}

const WIDE = 1_000_000
/** Some of them are one row to the service, some only look so. */
const SPELLINGS = [
  '1',
  '1.0',
  '10e-1',
  '"1"',
  '"1.0"',
  '"x"',
  '"\\u0078"',
  '0',
  '-0',
  'true',
  '"true"',
  '1e400',
  '10e399',
]
const dedup = (key: readonly string[][]): object => ({ destination_sync_mode: 'append_dedup', primary_key: key })

export const KINDS: readonly Kind[] = [
  {
    name: 'hot',
    rows: 'newest',
    hot: true,
    key: [['id']],
    fields: ['id'],
    configured: dedup([['id']]),
    own: (random, index) => [
      `"id":${random.below(4) === 0 ? oneOf(random, SPELLINGS) : random.below(40)}`,
      `"n":${index}`,
    ],
  },
  {
    name: 'wide',
    namespace: 'crm',
    rows: 'newest',
    hot: false,
    key: [['id'], ['at', 'day']],
    fields: ['id', 'at_day'],
    configured: dedup([['id'], ['at', 'day']]),
    own: (random, index) => [
      `"id":"k${random.below(3) === 0 ? random.below(1 + index) : WIDE + index}"`,
      `"at":{"day":${random.below(2)},"n":${index}}`,
    ],
  },
  {
    // a key's last record comes soon after its first one, so that a write that lands late shows
    name: 'pairs',
    rows: 'newest',
    hot: false,
    key: [['id']],
    fields: ['id'],
    configured: dedup([['id']]),
    own: (random, index) => [
      `"id":${random.below(2) === 0 ? index : Math.max(0, index - random.below(150))}`,
      `"n":${index}`,
    ],
  },
  {
    name: 'versions',
    rows: 'newest',
    hot: true,
    key: [['id']],
    fields: ['id'],
    configured: dedup([['id']]),
    options: { keep_last: false },
    own: (random, index) => [`"n":${index}`, `"id":${random.below(1 + index)}`],
  },
  {
    name: 'events',
    rows: 'every',
    hot: false,
    key: [],
    fields: [],
    configured: { destination_sync_mode: 'append', primary_key: [] },
    own: (random, index) => [`"id":${random.below(100)}`, `"n":${index >> 1}`],
  },
  {
    name: 'history',
    rows: 'restamped',
    hot: false,
    key: [],
    fields: [],
    configured: { destination_sync_mode: 'append', primary_key: [['id']] },
    own: (random, index) => [`"id":${random.below(100)}`, `"n":${index}`],
  },
  {
    name: 'facts',
    rows: 'collapsed',
    hot: true,
    key: [],
    fields: [],
    configured: { destination_sync_mode: 'append', primary_key: [] },
    options: { identical_records: 'collapse' },
    own: (random) => [`"id":${random.below(300)}`],
  },
]

const SIZES = { none: 6, small: 8, middle: 1.5, large: 0.02 }

/** The data of record `index`. @param index in its stream */
export function dataOf(kind: Kind, random: Random, index: number): string {
  const members = kind.own(random, index)
  // equal records must stay possible
  if (kind.rows === 'collapsed') return `{${members.join(',')}}`
  const length = { none: 0, small: random.below(200), middle: random.below(5_000), large: random.below(150_000) }
  members.push(`"text":"${'x'.repeat(length[random.pick(SIZES)])}"`)
  while (random.below(3) === 0) members.push(`"m${random.below(5)}":${oneOf(random, VALUES)}`)
  if (random.below(60) === 0) members.push(`"${oneOf(random, NAMES)}_x":${nested(random, 1 + random.below(900))}`)
  if (random.below(60) === 0) members.push(`"keys":${oneOf(random, VALUES)}`)
  return `{${members.join(random.below(5) === 0 ? ' , ' : ',')}}`
}

/** Data that cannot be stored: by the connector's rules, or, alone in its request, by the service's. */
export function poisonOf(kind: Kind, random: Random, index: number): string {
  const own = `"n":${index},"poison":true`
  // a key of its own, so that no good record goes down with it
  const key = `"id":"poison-${index}","at":{"day":0}`
  const large = `{${key},${own},"text":"${'y'.repeat(MAX_BODY + random.below(50_000))}"}`
  const deep = `{${key},${own},"deep":${nested(random, 1_024)}}`
  if (kind.key.length === 0) return oneOf(random, [large, deep, `{${own},"keys":1,"\\u006beys":2}`])
  const wrong = ['null', '[]', '{}', '1,"id":1'].map((id) => `{"id":${id},"at":{"day":0},${own}}`)
  return oneOf(random, [large, deep, ...wrong, `{"at":{"day":1},${own}}`])
}
