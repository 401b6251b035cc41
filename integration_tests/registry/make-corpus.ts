// Topics full of values that the reference serialisers wrote, and what the reference libraries read out of them: by corpus.py.
// Knows nothing of our decoders.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uniqueName } from '../kafka/available.ts'
import { KafkaClient } from '../kafka/client.ts'
import { runPython } from '../kafka/run-python.ts'

export type CorpusFormat =
  | 'avro'
  /** Its keys are of a schema too; those of the others are texts. */
  | 'avro-with-avro-keys'
  | 'protobuf'
  /** The schema is registered as the text of its file. */
  | 'protobuf-text'
  /** Of the older syntax. */
  | 'protobuf-2'
  | 'json-schema'

export interface CorpusOptions {
  readonly bootstrap: string
  /** The registry's URL. */
  readonly registry: string
  readonly seed: string
  /** How many records of each format. */
  readonly counts: Readonly<Partial<Record<CorpusFormat, number>>>
}

/** A topic of one partition. */
export interface CorpusTopic {
  readonly format: CorpusFormat
  readonly topic: string
  /** By offset: a JSON text each, an object with `value`, and with `key` where that is of a schema. */
  readonly expected: readonly string[]
}

/** Topics get new names. The same seed and counts give the same values. */
export async function makeCorpus({ bootstrap, registry, seed, counts }: CorpusOptions): Promise<CorpusTopic[]> {
  const folder = await mkdtemp(join(tmpdir(), 'corpus-'))
  try {
    await using client = await KafkaClient.connect(bootstrap)
    const topics = Object.entries(counts).map(([format, count]) => ({ format, count, topic: uniqueName(format) }))
    for (const { topic } of topics) await client.createTopic(topic)
    const job = { bootstrap, registry, seed, folder, topics }
    await runPython(new URL('corpus.py', import.meta.url), [], JSON.stringify(job))
    return await Promise.all(
      topics.map(async ({ format, topic }) => ({
        format: format as CorpusFormat,
        topic,
        expected: (await readFile(join(folder, `${topic}.jsonl`), 'utf8')).trimEnd().split('\n'),
      })),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
