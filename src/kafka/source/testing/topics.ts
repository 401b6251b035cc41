// For tests: a topic's records as they become points, as texts.

import { UNAVAILABLE_VALUE } from '../../../config/stream/topic-options.ts'
import type { TopicConfig } from '../../../config/stream/stream-config.ts'
import type { Key } from '../../../core/types.ts'
import { TopicMapper } from '../../topics/topic-mapper.ts'
import { topicShared, type TopicShared } from '../../topics/topic-tables.ts'
import type { KafkaRecord } from '../../types.ts'
import { emptySlot } from '../../../mapping/stream-mapping.ts'
import { pointIn } from '../../../mapping/testing/topic-rows.ts'

export const TOPIC = 'shop.public.orders'

/** A topic of JSON objects with the key `id`, but for what is given. */
export function topicConfig(over: Partial<TopicConfig> = {}): TopicConfig {
  return {
    topic: { name: TOPIC },
    format: 'json',
    stream: undefined,
    valueEncoding: 'text',
    keyEncoding: 'text',
    table: 'orders',
    sharedTable: false,
    keys: { from: 'value', paths: [['id']] },
    nullKeys: 'stop',
    epoch: 0,
    tombstones: over.format === 'debezium' ? 'mark' : 'ignore',
    unavailable: 'fail',
    unavailablePlaceholder: UNAVAILABLE_VALUE,
    truncate: 'stop',
    start: 'earliest',
    outOfRange: 'stop',
    keepLast: true,
    maxRejected: undefined,
    maxRejectedShare: undefined,
    route: undefined,
    ...over,
  }
}

export function recordOf(value: string | Buffer | null, key: string | Buffer | null = null, offset = 7n): KafkaRecord {
  return { offset, timestamp: 0n, key: bytes(key), value: bytes(value), headers: [] }
}

function bytes(given: string | Buffer | null): Buffer | null {
  return typeof given === 'string' ? Buffer.from(given) : given
}

export type MadeOf =
  | { readonly point: string; readonly key: Key }
  | { readonly rejected: string; readonly hint?: string | undefined }
  | { readonly ignored: string }

/** Maps records of one topic, partition 3, one after another. */
export function topicOf(
  over: Partial<TopicConfig>,
  shared: TopicShared = topicShared(''),
  topic = TOPIC,
): { readonly mapper: TopicMapper<string>; readonly map: (record: KafkaRecord) => MadeOf } {
  const mapper = new TopicMapper<string>(topic, topicConfig(over), shared)
  const track = { name: `${topic}/3` }
  const slot = emptySlot('')
  const map = (record: KafkaRecord): MadeOf => {
    shared.space.reset()
    const before = new Map(mapper.ignored)
    const item = mapper.map(record, track, 3, 'origin', 11, slot)
    if (item === undefined) return { ignored: ignoredSince(before, mapper) }
    if (item.track !== track || item.origin !== 'origin' || item.held !== 11 || item.table !== mapper.table)
      throw new Error('the item is not of this record')
    if (item.kind === 'rejected') return { rejected: item.reason, hint: item.hint }
    return pointIn(slot)
  }
  return { mapper, map }
}

/** Maps records of one topic, partition 0, one after another, to lines: `table: point`, `table? rejected: why`, the word they are left
 *  out by, or `stops: message`. */
export function lineMapper(mapper: TopicMapper<string>, shared: TopicShared) {
  const track = { name: 'topic/0' }
  const slot = emptySlot('')
  return (record: KafkaRecord): string => {
    shared.space.reset()
    const before = new Map(mapper.ignored)
    try {
      const item = mapper.map(record, track, 0, '', 0, slot)
      if (item === undefined) return ignoredSince(before, mapper)
      if (item.kind === 'rejected') return `${item.table?.name ?? '-'} rejected: ${item.reason}`
      return `${item.table.name}: ${pointIn(slot).point}`
    } catch (error) {
      return `stops: ${(error as Error).message}`
    }
  }
}

function ignoredSince(before: ReadonlyMap<string, number>, { ignored }: TopicMapper<string>): string {
  return [...ignored].find(([word, count]) => before.get(word) !== count)![0]
}
