// Logs by Kafka's own clients for Java, and what its consumer reads of them, in lines that can be compared. Knows no case.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { KafkaRecord, TopicPartition } from '../../src/kafka/types.ts'
import { kafkaVersion } from '../tools/test-parts/kafka.ts'
import { findKafka } from './find-kafka.ts'

/** Of one partition. */
export interface ForeignLog extends TopicPartition {
  /** A record each, as `lineOf` writes it. */
  readonly lines: readonly string[]
  /** The last stable offset. */
  readonly end: bigint
}

const PROGRAM = new URL('ForeignLog.java', import.meta.url).pathname
const SHORT = 64
const DIGITS = 16

/** Six producers at once, four of them transactional; a transaction stays open. @param topics each with its codec */
export async function writeForeignLogs(
  bootstrap: string,
  seed: number,
  steps: number,
  topics: readonly (readonly [topic: string, codec: string])[],
): Promise<void> {
  await java('write', bootstrap, `${seed}`, `${steps}`, ...topics.map(([topic, codec]) => `${codec}=${topic}`))
}

/** All that is committed. */
export async function readForeignLogs(bootstrap: string, topics: readonly string[]): Promise<ForeignLog[]> {
  const text = await java('read', bootstrap, ...topics)
  const lines = Map.groupBy(text.trimEnd().split('\n'), (line) => line.split(' ', 2).join(' '))
  return [...lines].flatMap(([, ends]) =>
    ends.flatMap((line): ForeignLog[] => {
      const [kind, topic, partition, end] = line.split(' ')
      if (kind !== 'end') return []
      return [
        {
          topic: topic!,
          partition: Number(partition),
          end: BigInt(end!),
          lines: lines.get(`${topic} ${partition}`) ?? [],
        },
      ]
    }),
  )
}

/** As the Java program writes it. */
export function lineOf({ topic, partition }: TopicPartition, record: KafkaRecord): string {
  const { offset, timestamp, key, value, headers } = record
  const pairs = headers.map(([name, own]) => ` ${Buffer.from(name).toString('hex')}=${hex(own)}`).join('')
  return `${topic} ${partition} ${offset} ${timestamp} ${hex(key)} ${hex(value)}${pairs}`
}

export function offsetOf(line: string): bigint {
  return BigInt(line.split(' ')[2]!)
}

function hex(bytes: Buffer | null): string {
  if (bytes === null) return 'null'
  if (bytes.length <= SHORT) return bytes.toString('hex')
  return `${bytes.length}:${createHash('sha256').update(bytes).digest('hex').slice(0, DIGITS)}`
}

async function java(...args: readonly string[]): Promise<string> {
  const kafka = await findKafka(kafkaVersion(process.env), process.env)
  if ('reason' in kafka) throw new Error(`No Java client can be run: ${kafka.reason}`)
  const options = ['-Xmx400m', '-XX:TieredStopAtLevel=1', '-Dlog4j2.level=error', '-cp', kafka.classPath]
  // its codecs unpack themselves there
  await using folder = await mkdtempDisposable(join(tmpdir(), 'foreign-log-'))
  const own = [`-Djava.io.tmpdir=${folder.path}`, ...options, PROGRAM, ...args]
  const { stdout } = await promisify(execFile)(kafka.java, own, { maxBuffer: 2 ** 28 })
  return stdout
}
