// The topic row: an ordinary kafkajs consumer beside `stream`, on a real broker.

import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KafkaClient } from '../../integration_tests/kafka/client.ts'
import { dataOf, type Change, type Job } from './job.ts'
import { PARALLEL, SERIAL, type Peer } from './peers.ts'

const PARTITIONS = 3

export function topicPeers(client: KafkaClient, bootstrap: string, program: string): Peer[] {
  const manifest = readFileSync(new URL('../../node_modules/kafkajs/package.json', import.meta.url), 'utf8')
  const start = (script: string): Peer['start'] => {
    const topics = new WeakMap<Job, string>()
    return async (job, url, folder) => {
      const topic = topics.get(job) ?? (await fill(client, job))
      topics.set(job, topic)
      const [file, kafka] = [join(folder, 'stream.json'), { brokers: bootstrap.split(','), group: topic }]
      const entry = { topic, table: 'orders', keys: ['id'] }
      writeFileSync(
        file,
        JSON.stringify({ import_url: url, client_id: 7, api_key: '${API_KEY}', kafka, topics: [entry] }),
      )
      const partitions = Map.groupBy(job.changes, partitionOf)
      const committed = async (): Promise<Change[]> => {
        // a group that is new has no coordinator for a moment
        const offsets = await client.committed(topic, topic).catch(() => [])
        return [...partitions].flatMap(([at, changes]) => changes.slice(0, Number(offsets[at] ?? 0n)))
      }
      const command = [process.execPath, script, 'stream', '--config', file]
      return { command, env: { API_KEY: 'demo-key' }, input: '', committed }
    }
  }
  return [
    {
      name: 'ordinary consumer',
      settings: `kafkajs ${(JSON.parse(manifest) as { version: string }).version}: eachBatch, 100 a request, one after another`,
      objection: 'a careful author sends partitions at once, and takes a parser that keeps digits',
      isTopic: true,
      records: SERIAL,
      start: start(fileURLToPath(new URL('../kafka/ordinary-consumer.mjs', import.meta.url))),
    },
    {
      name: 'this connector, a topic',
      settings: '`stream`, defaults',
      objection: 'its authors chose the job and the harm',
      isTopic: true,
      records: PARALLEL,
      start: start(program),
    },
  ]
}

function partitionOf({ id }: Change): number {
  return id % PARTITIONS
}

async function fill(client: KafkaClient, { changes }: Job): Promise<string> {
  const topic = `peers-${randomUUID()}`
  await client.createTopic(topic, PARTITIONS)
  const records = changes.map((it) => ({ partition: partitionOf(it), key: `${it.id}`, value: dataOf(it) }))
  for (let from = 0; from < records.length; from += 10_000)
    await client.produce(topic, records.slice(from, from + 10_000))
  return topic
}
