// What may be said of a rejected record of Kafka: never its data, its key only if that is wanted, nor where the service was
// asked. Decides nothing about its fate.

import type { Rejected, SupersededPlace } from '../../core/types.ts'
import { shownKey } from '../../mapping/shown-key.ts'
import { reasonOf } from '../../rejects/rejected-words.ts'
import type { Telling } from '../../rejects/rejected-words.ts'
import { KEY_PARAMETER } from '../../service/contract.ts'
import { shortened } from '../../text/printable.ts'
import type { TopicPartition } from '../types.ts'
import { offsetOf } from './kafka-origin.ts'
import type { KafkaOrigin, KafkaTrack } from './kafka-origin.ts'

/** Characters of a key that are told. */
const KEY = 100
const WORD = /[^\s"'<>(){}[\],]+/g
const COLON = String.raw`(?::|%(?:25)*3a|&#(?:58|x3a);|\\u003a)`
const SLASH = String.raw`(?:\\*/|%(?:25)*2f|&#(?:47|x2f);|\\u002f)`
const EQUALS = String.raw`(?:=|%(?:25)*3d|&#(?:61|x3d);|\\u003d)`
/** What only an address has, however it is escaped: its beginning, the path of requests, the name of the key's parameter. */
const ADDRESS = new RegExp(`${COLON}${SLASH}${SLASH}|${SLASH}v2${SLASH}client${SLASH}|${KEY_PARAMETER}${EQUALS}`, 'i')

/** Without a full stop and without addresses, at most 500 characters. */
export function errorOf(rejected: { readonly reason: string }, { scrub }: Pick<Telling, 'scrub'>): string {
  return reasonOf({ reason: withoutAddresses(scrub(rejected.reason)) }, { scrub })
}

function withoutAddresses(text: string): string {
  return text.replace(WORD, (word) => (ADDRESS.test(word) ? '[address]' : word))
}

/** Where it was first read. */
export function whereFrom({ origin, track }: SupersededPlace<KafkaOrigin>): TopicPartition {
  // the source makes no other tracks
  return (typeof origin === 'bigint' ? undefined : origin.from) ?? (track as KafkaTrack)
}

/** `of topic "orders", partition 0, offset 12, table "orders", with the key 5,`. */
export function whichKafkaRecord(rejected: Rejected<KafkaOrigin>, { scrub, logKeys }: Telling): string {
  const { topic, partition } = whereFrom(rejected)
  const table = rejected.table ? `, table "${rejected.table.name}"` : ''
  const key = logKeys ? shownKey(rejected.key) : undefined
  const shown = key === undefined ? '' : `, with the key ${shortened(scrub(key), KEY)}`
  return `of topic "${topic}", partition ${partition}, offset ${offsetOf(rejected.origin)}${table}${shown},`
}
