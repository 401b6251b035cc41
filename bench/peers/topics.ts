// The topic row: an ordinary kafkajs consumer beside `stream`, on a real broker. Speed is measured as `bench -- kafka` does.

import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KafkaClient } from '../../integration_tests/kafka/client.ts'
import { BenchTopics } from '../kafka/bench-topics.ts'
import { runKafkaScenario } from '../kafka/run-scenario.ts'
import { startServer } from '../start-server.ts'
import { dataOf } from './job.ts'
import type { Change, Job } from './job.ts'
import type { Peer } from './peers.ts'
import type { SpeedRow } from './results.ts'

const NAMES = ['ordinary consumer', 'this connector, a topic'] as const
const ORDINARY = fileURLToPath(new URL('../kafka/ordinary-consumer.mjs', import.meta.url))
const PARTITIONS = 3

export function topicPeers(client: KafkaClient, bootstrap: string, program: string): Peer[] {
  const manifest = new URL('../../node_modules/kafkajs/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const peer = (script: string): Pick<Peer, 'isTopic' | 'start'> => {
    const filled = new WeakMap<Job, string>()
    return {
      isTopic: true,
      async start(job, url, folder) {
        const topic = filled.get(job) ?? (await fill(client, job))
        filled.set(job, topic)
        const file = join(folder, 'stream.json')
        const kafka = { brokers: bootstrap.split(','), group: topic }
        const topics = [{ topic, table: 'orders', keys: ['id'] }]
        writeFileSync(file, JSON.stringify({ import_url: url, client_id: 7, api_key: '${API_KEY}', kafka, topics }))
        const command = [process.execPath, script, 'stream', '--config', file]
        const partitions = Array.from({ length: PARTITIONS }, (_, at) =>
          job.changes.filter((it) => partitionOf(it) === at),
        )
        const committed = async (): Promise<Change[]> => {
          // a group that is new has no coordinator for a moment
          const offsets = await client.committed(topic, topic).catch(() => [])
          return partitions.flatMap((changes, at) => changes.slice(0, Number(offsets[at] ?? 0n)))
        }
        return { command, env: { API_KEY: 'demo-key' }, input: '', committed }
      },
    }
  }
  return [
    {
      name: NAMES[0],
      settings: `kafkajs ${version}: eachBatch, 100 a request, one after another; bench/kafka/ordinary-consumer.mjs`,
      objection: 'a careful author sends partitions at once, and uses a parser that keeps digits',
      ...peer(ORDINARY),
    },
    { name: NAMES[1], settings: '`stream`, defaults', objection: 'as above', ...peer(program) },
  ]
}

function partitionOf({ id }: Change): number {
  return id % PARTITIONS
}

async function fill(client: KafkaClient, job: Job): Promise<string> {
  const topic = `peers-${randomUUID()}`
  await client.createTopic(topic, PARTITIONS)
  for (let from = 0; from < job.changes.length; from += 10_000) {
    const some = job.changes.slice(from, from + 10_000)
    await client.produce(
      topic,
      some.map((it) => ({ partition: partitionOf(it), key: `${it.id}`, value: dataOf(it) })),
    )
  }
  return topic
}

export async function topicSpeeds(
  bootstrap: string,
  program: string,
  latencyMs: number,
  rounds: number,
  signal: AbortSignal,
): Promise<SpeedRow[]> {
  await using topics = await BenchTopics.connect(bootstrap, console.error)
  await using server = await startServer()
  const messages = { beside: latencyMs === 0 ? 200_000 : 10_000, ours: 200_000 }
  const scenario = { name: `topic, ${latencyMs} ms`, partitions: PARTITIONS, members: 1, latencyMs, messages, bars: [] }
  const bench = { programs: { ordinary: ORDINARY, ours: program }, topics, server, rounds, progress: console.error }
  const rows = await runKafkaScenario({ ...scenario, beside: 'ordinary' }, bench, signal)
  return rows.map((row, at) => ({
    peer: NAMES[at]!,
    latencyMs,
    records: row.messages,
    rate: row.rate,
    cpuMicroseconds: (row.cpuSeconds * 1e6) / row.messages,
    peakMegabytes: row.peakRssBytes / 1e6,
    requests: row.requests,
  }))
}
