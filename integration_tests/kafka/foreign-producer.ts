// Records as others' clients write them, Kafka's own for Java and two for Python: in their batches, packed by their codecs.
// Knows no case.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kafkaVersion } from '../tools/test-parts/kafka.ts'
import { findKafka } from './find-kafka.ts'
import { runPython } from './run-python.ts'

export interface ForeignRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
}

const JAVA_PROGRAM = new URL('ForeignProducer.java', import.meta.url).pathname
const PYTHON_PROGRAM = new URL('foreign_producer.py', import.meta.url)

/** Into partition 0 of each topic, one after the other. @param topics by codec, or none
 *  @param more properties of the producer @throws with what Java said; it needs a JDK */
export async function produceWithJava(
  bootstrap: string,
  records: readonly ForeignRecord[],
  topics: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const kafka = await findKafka(kafkaVersion(process.env), process.env)
  if ('reason' in kafka) throw new Error(`No Java client can be run: ${kafka.reason}`)
  const options = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-Dlog4j2.level=error', '-cp', kafka.classPath]
  await withRecords(records, async (file, folder) => {
    const args = [bootstrap, file, ...pairs(topics, '='), ...pairs(more, ':')]
    await promisify(execFile)(kafka.java, [`-Djava.io.tmpdir=${folder}`, ...options, JAVA_PROGRAM, ...args])
  })
}

/** The same by a client for Python. @param more properties of the producer, integers, as the Java client and librdkafka
 *  name them @throws with what Python said */
export async function produceWithPython(
  library: 'librdkafka' | 'kafka-python',
  bootstrap: string,
  records: readonly ForeignRecord[],
  topics: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withRecords(records, (file) =>
    runPython(PYTHON_PROGRAM, [library, bootstrap, file, ...pairs(topics, '='), ...pairs(more, ':')]),
  )
}

/** @param use may leave files in the folder */
async function withRecords(
  records: readonly ForeignRecord[],
  use: (file: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-producer-'))
  try {
    const file = join(folder, 'records')
    await writeFile(file, Buffer.concat(records.flatMap(({ key, value }) => [framed(key), framed(value)])))
    await use(file, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function pairs(members: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(members).map((pair) => pair.join(between))
}

function framed(bytes: Buffer | null): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes?.length ?? -1)
  return bytes ? Buffer.concat([length, bytes]) : length
}
