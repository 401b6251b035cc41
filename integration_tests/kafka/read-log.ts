// What a broker keeps of a partition, read from its own files: by no client, so exactly as it was sent. Batches of the current
// format only, plain or packed by gzip.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { KafkaHeader, KafkaRecord } from '../../src/kafka/types.ts'

/** The records of a partition in their order. @param folder the broker's */
export async function readLog(folder: string, topic: string, partition: number): Promise<KafkaRecord[]> {
  const log = join(folder, 'data', `${topic}-${partition}`)
  const names = (await readdir(log)).filter((name) => name.endsWith('.log')).toSorted()
  const segments = await Promise.all(names.map((name) => readFile(join(log, name))))
  return segments.flatMap((segment) => [...batches(segment)].flatMap(records))
}

function* batches(segment: Buffer): Generator<Buffer> {
  // a segment may be longer than what is written of it
  for (let at = 0; at + 61 <= segment.length && segment.readInt32BE(at + 8) > 0;) {
    const to = at + 12 + segment.readInt32BE(at + 8)
    yield segment.subarray(at, to)
    at = to
  }
}

function records(batch: Buffer): KafkaRecord[] {
  const [base, attributes, timestamp] = [batch.readBigInt64BE(0), batch.readInt16BE(21), batch.readBigInt64BE(27)]
  const codec = attributes & 0b111
  if (codec > 1) throw new Error('the batch is compressed, and not by gzip')
  const packed = batch.subarray(61)
  const reader = new Reader(codec === 1 ? gunzipSync(packed) : packed)
  return Array.from({ length: batch.readInt32BE(57) }, () => {
    reader.number()
    reader.at++
    const at = timestamp + reader.number()
    const offset = base + reader.number()
    const [key, value] = [reader.bytes(), reader.bytes()]
    const count = Number(reader.number())
    const headers = Array.from({ length: count }, (): KafkaHeader => [reader.bytes()!.toString(), reader.bytes()])
    return { offset, timestamp: at, key, value, headers }
  })
}

class Reader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** A zigzag varint. */
  number(): bigint {
    let number = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.at++]!
      number |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return (number >> 1n) ^ -(number & 1n)
    }
  }

  bytes(): Buffer | null {
    const length = Number(this.number())
    if (length < 0) return null
    this.at += length
    return Buffer.from(this.#bytes.subarray(this.at - length, this.at))
  }
}
