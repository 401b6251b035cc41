// The generation of a consumer group, which no request tells: read from the records in which brokers keep their groups.

import type { KafkaClient } from './client.ts'

const OFFSETS_TOPIC = '__consumer_offsets'
/** Of a record's key: what follows is a group's metadata, not an offset of it. */
const GROUP_METADATA = 2
/** Of a record's value; later ones lay their strings out in another way. */
const LAST_KNOWN_VERSION = 3

/** @returns how many rebalances the group has had, about; undefined when there is no such group (any more) */
export async function groupGeneration(client: KafkaClient, groupId: string): Promise<number | undefined> {
  let generation: number | undefined
  // a group is in one partition, so its last record is its latest
  for (const { key, value } of await client.read(OFFSETS_TOPIC)) {
    if (key === null || key.readInt16BE(0) !== GROUP_METADATA || key.toString('utf8', 4) !== groupId) continue
    generation = value === null ? undefined : readGeneration(value)
  }
  return generation
}

/** Its version, the protocol's name with its length, the generation. */
function readGeneration(value: Buffer): number {
  const version = value.readInt16BE(0)
  if (version > LAST_KNOWN_VERSION) throw new Error(`a group's metadata is of version ${version}`)
  return value.readInt32BE(4 + value.readInt16BE(2))
}
