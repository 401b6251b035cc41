// The text of the bench's records: what a source would send, the same on every run. Knows no files and no protocol.

import type { Random } from './random.ts'

/** The JSON text of one record's data. `id` is its key. */
export type RecordText = (id: number, random: Random) => string

const STATUSES = ['pending', 'paid', 'shipped', 'returned', 'cancelled']
const CITIES = ['Porto', 'Lyon', 'Graz', 'Turku', 'Gdynia', 'Bergen', 'Leeds', 'Ghent']
const WORDS = [
  'Grüße aus Köln',
  'žluťoučký kůň',
  '東京都渋谷区',
  'Ελλάδα',
  'emoji 🚀🎉',
  'naïve café',
  'Москва',
  'العربية',
  '한국어',
  String.raw`a \"quoted\" word`,
  String.raw`line one\nline two`,
  String.raw`tab\there`,
  String.raw`C:\\data\\in`,
  String.raw`caf\u00e9 \ud83d\ude80`,
  String.raw`slash \/ escaped`,
  'plain words',
  'nothing special here',
  'lorem ipsum dolor',
  'sit amet',
  'consectetur',
  'order note',
  'gift wrap',
]

/** About 155 bytes, flat, ASCII: a line of about 238. */
export const smallRecord: RecordText = (id, random) =>
  `{"id":${id},"customer_id":${random.below(1e6)},"status":"${random.pick(STATUSES)}","amount":${money(random)},` +
  `"city":"${random.pick(CITIES)}","updated_at":"${timestamp(random)}","paid":${random.below(2) === 0},"note":"${hex(random, 13)}"}`

/** About 1.4 KB, nested, with unicode, escapes and integers of 18 and 19 digits: a line of about 1.5 KB. */
export const nestedRecord: RecordText = (id, random) =>
  `{"id":${id},"external_id":${bigInteger(random)},"title":"${words(random, 4)}","tags":["${words(random, 1)}","${words(random, 1)}"],` +
  `"customer":{"id":${bigInteger(random)},"name":"${words(random, 2)}","email":"${hex(random, 10)}@example.com","vip":${random.below(2) === 0},` +
  `"address":{"street":"${words(random, 2)}","city":"${random.pick(CITIES)}","geo":{"lat":${coordinate(random)},"lon":${coordinate(random)}}}},` +
  `"items":[${item(random)},${item(random)},${item(random)},${item(random)}],"note":"${words(random, 21)}","deleted_at":null,` +
  `"total":${money(random)},"history":[[${bigInteger(random)},"${random.pick(STATUSES)}"],[${bigInteger(random)},"${random.pick(STATUSES)}"]],` +
  `"updated_at":"${timestamp(random)}"}`

function item(random: Random): string {
  return `{"sku":"${hex(random, 8)}","quantity":${1 + random.below(9)},"price":${money(random)},"ledger":${bigInteger(random)},"label":"${words(random, 3)}"}`
}

function words(random: Random, count: number): string {
  let text = random.pick(WORDS)
  for (let i = 1; i < count; i++) text += ` ${random.pick(WORDS)}`
  return text
}

/** 18 or 19 digits: beyond what a double holds, within an int64. */
function bigInteger(random: Random): string {
  return `${100_000_000 + random.below(800_000_000)}${String(random.below(1e9)).padStart(9, '0')}${random.below(2) === 0 ? '' : random.below(8)}`
}

function money(random: Random): string {
  return `${random.below(1000)}.${String(random.below(100)).padStart(2, '0')}`
}

function coordinate(random: Random): string {
  return `${random.below(180) - 90}.${String(random.below(1e6)).padStart(6, '0')}`
}

function timestamp(random: Random): string {
  const two = (limit: number, from = 0): string => String(from + random.below(limit)).padStart(2, '0')
  return `2026-${two(12, 1)}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`
}

function hex(random: Random, digits: number): string {
  let text = ''
  while (text.length < digits)
    text += random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return text.slice(0, digits)
}
