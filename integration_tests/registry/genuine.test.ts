// `stream` as a process on a real broker and a real registry, over what Confluent's serialisers wrote: each record is the row
// that the reference libraries read, and nothing is rejected.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import type { Apicurio } from './apicurio.ts'
import { describeRegistry } from './available.ts'
import { makeCorpus, type CorpusTopic } from './make-corpus.ts'
import { readJson, type Json } from './read-json.ts'
import { differenceOfJson } from './same-json.ts'
import { StreamDriver, tableOf } from '../stream/driver.ts'
import { lastFigures } from '../stream/stream-process.ts'

const COUNTS = {
  avro: 150,
  'avro-with-avro-keys': 150,
  protobuf: 100,
  'protobuf-text': 50,
  'json-schema': 150,
} as const
const RECORDS = Object.values(COUNTS).reduce((sum, count) => sum + count, 0)

await describeRegistry('stream over what the reference serialisers wrote', (bootstrap, startApicurio) => {
  let driver: StreamDriver
  let registry: Apicurio
  let corpus: readonly CorpusTopic[]
  beforeAll(async () => {
    driver = await StreamDriver.open(bootstrap)
    registry = await startApicurio()
    corpus = await makeCorpus({ bootstrap, registry: registry.url, seed: 'stream', counts: COUNTS })
  }, 300_000)
  afterAll(async () => {
    await registry[Symbol.asyncDispose]()
    await driver[Symbol.asyncDispose]()
  })

  it('stores each record as the reference libraries read it', async () => {
    const group = uniqueName('group')
    const topics = corpus.map(({ topic, format }) =>
      format === 'avro-with-avro-keys'
        ? { topic, keys: { key: true }, value_encoding: 'registry', key_encoding: 'registry' }
        : { topic, keys: { offset: true }, value_encoding: 'registry' },
    )
    const config = { schema_registry: { url: registry.url } }
    await using process = await driver.start({ group, topics, config })
    for (const { topic, expected } of corpus)
      await driver.committedAre(group, topic, [BigInt(expected.length)], process)
    expect(lastFigures(await driver.stop(process))).toMatchObject({ records: RECORDS, rejected: 0, ignored: 0 })
    for (const one of corpus) {
      const found = byIdentity(await rowsIn(driver, tableOf(one.topic)))
      const wanted = byIdentity(rowsOf(one).map((row) => readJson(row)))
      expect(found.size, one.format).toBe(wanted.size)
      for (const [identity, row] of wanted)
        expect(differenceOfJson(row, found.get(identity) ?? null), `${one.format} ${identity}`).toBeUndefined()
    }
  })
})

/** What rows their records become, in order. */
function rowsOf({ format, topic, expected }: CorpusTopic): string[] {
  return expected.map((line, offset) => {
    const text = (member: string): string => line.slice(line.indexOf(`"${member}":{`) + member.length + 4, -2)
    if (format === 'avro-with-avro-keys') {
      const key = /^\{"key":\{(.*?)\},"value":\{/.exec(line)![1]!
      return `{"keys":["id","region"],${key},${text('value')}}`
    }
    const place = `"_kafka_topic":"${topic}","_kafka_partition":0,"_kafka_offset":${offset},"_kafka_epoch":0`
    const value = text('value')
    return `{"keys":["_kafka_topic","_kafka_partition","_kafka_offset","_kafka_epoch"],${place}${value && ','}${value}}`
  })
}

/** A row may be a text of several lines. */
async function rowsIn({ service }: StreamDriver, table: string): Promise<readonly Json[]> {
  const response = await fetch(`${service.url}/_local/tables/${table}?client_id=7`)
  return readJson(await response.text()) as readonly Json[]
}

/** Of rows that are one the last. */
function byIdentity(rows: readonly Json[]): Map<string, Json> {
  return new Map(
    rows.map((row) => {
      const members = row as ReadonlyMap<string, Json>
      const keys = (members.get('keys') as readonly string[]).toSorted()
      return [JSON.stringify(keys.map((name) => [name, members.get(name)])), row]
    }),
  )
}
