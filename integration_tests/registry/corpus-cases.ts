// What cases about values of schemas stand on: a registry, the schema store that reads from it, topics full of values. Knows no
// format.

import { afterAll, beforeAll, expect } from 'vitest'
import { systemClock } from '../../src/process/system-clock.ts'
import { avroDecoder } from '../../src/registry/avro/avro-decoder.ts'
import { makeJsonSchemaDecoder } from '../../src/registry/json-schema-decoder.ts'
import type { AskRegistry } from '../../src/registry/retrying-client.ts'
import { protobufDecoder } from '../../src/registry/protobuf/protobuf-decoder.ts'
import { CachingStore, type SchemaStore } from '../../src/registry/schema-store.ts'
import type { Decoded, SchemaId, SchemaProblem, ValueDecoder } from '../../src/registry/types.ts'
import { readWire, type Side } from '../../src/registry/wire-format.ts'
import { KafkaClient } from '../kafka/client.ts'
import type { ReadRecord } from '../kafka/read-topic.ts'
import type { Apicurio, StartApicurio } from './apicurio.ts'
import { makeCorpus, type CorpusFormat, type CorpusTopic } from './make-corpus.ts'
import { differenceOf } from './same-json.ts'

/** CORPUS_SEED=another draws other values. */
const SEED = process.env['CORPUS_SEED'] || 'corpus'
/** Told of a test that fails. */
const DIFFERENCES = 5

/** To be made once a describe. */
export class CorpusCases {
  #registry: Apicurio | undefined
  #client: KafkaClient | undefined
  #store: SchemaStore | undefined
  #topics: readonly CorpusTopic[] = []

  constructor(
    bootstrap: string,
    startApicurio: StartApicurio,
    counts: Readonly<Partial<Record<CorpusFormat, number>>>,
  ) {
    beforeAll(async () => {
      this.#registry = await startApicurio()
      this.#client = await KafkaClient.connect(bootstrap)
      this.#topics = await makeCorpus({ bootstrap, registry: this.#registry.url, seed: SEED, counts })
      this.#store = storeOf(this.#registry.url)
    }, 300_000)
    afterAll(async () => {
      await this.#client?.[Symbol.asyncDispose]()
      await this.#registry?.[Symbol.asyncDispose]()
    })
  }

  get registry(): Apicurio {
    return this.#registry!
  }

  topic(format: CorpusFormat): CorpusTopic {
    return this.#topics.find((topic) => topic.format === format)!
  }

  /** By offset. */
  async records(format: CorpusFormat): Promise<ReadRecord[]> {
    return this.#client!.read(this.topic(format).topic)
  }

  /** Decodes what lies in the topic, values and such keys as are of a schema, and holds it against what was expected.
   *  @param decoder of the values, in place of that of the registry's schema */
  async allAreAsExpected(format: CorpusFormat, decoder?: ValueDecoder): Promise<void> {
    const { expected } = this.topic(format)
    const records = await this.records(format)
    expect(records.map(({ offset }) => offset)).toEqual(expected.map((_, at) => BigInt(at)))
    const differences: string[] = []
    for (const [at, record] of records.entries()) {
      const difference = await this.#differenceOf(record, expected[at]!, decoder)
      if (difference !== undefined) differences.push(`offset ${at}: ${difference}`)
    }
    const told = [`CORPUS_SEED=${SEED}`, ...differences.slice(0, DIFFERENCES)].join('\n')
    expect(`${differences.length} differ`, told).toBe('0 differ')
  }

  async #differenceOf(
    { key, value, headers }: ReadRecord,
    expected: string,
    decoder: ValueDecoder | undefined,
  ): Promise<string | undefined> {
    const decoded = await this.#decode(value!, headers, 'value', decoder)
    if ('problem' in decoded) return `its value ${decoded.problem}`
    if (!expected.startsWith('{"key":')) return differenceOf(expected, `{"value":${decoded.json.toString()}}`)
    const decodedKey = await this.#decode(key!, headers, 'key')
    if ('problem' in decodedKey) return `its key ${decodedKey.problem}`
    return differenceOf(expected, `{"key":${decodedKey.json.toString()},"value":${decoded.json.toString()}}`)
  }

  async #decode(bytes: Buffer, headers: ReadRecord['headers'], side: Side, given?: ValueDecoder): Promise<Decoded> {
    const wire = readWire(bytes, headers, side)
    if ('problem' in wire) return wire
    const decoder = given ?? (await this.#decoderOf(wire.id))
    return 'problem' in decoder ? decoder : decoder.decode(bytes, wire.from, wire.indexes)
  }

  async #decoderOf(id: SchemaId): Promise<ValueDecoder | SchemaProblem> {
    const store = this.#store!
    if (store.known(id) === undefined) await store.load([id], AbortSignal.timeout(30_000))
    return store.known(id)!
  }
}

function storeOf(url: string): SchemaStore {
  return new CachingStore({
    ask: asker(url),
    address: url,
    clock: systemClock,
    make: { AVRO: avroDecoder, JSON: makeJsonSchemaDecoder, PROTOBUF: protobufDecoder },
    log: () => {},
  })
}

function asker(url: string): AskRegistry {
  return async (path, signal) => {
    try {
      const response = await fetch(`${url}${path}`, { signal })
      const body = await response.text()
      return { status: response.status, body, isCut: false, words: '', retryAfterMs: undefined, leadsTo: undefined }
    } catch (error) {
      return { failed: String(error) }
    }
  }
}
