// Writes a request for the ids of topics, which kafkajs does not have, and reads its answer (Kafka protocol: Metadata, version 10). If a
// topic is deleted and created again, its name stays the same while its offsets mean other records: only the id tells.

import { API, VERSION_AT, kafkaText } from './request-bytes.ts'

/** The version of Metadata, which brokers know from Kafka 2.8 on. */
export const TOPIC_IDS_VERSION = 10
const ID_BYTES = 16
/** The id in answers of a broker that gives topics no ids. */
const NO_ID = Buffer.alloc(ID_BYTES)
const SIZE_BYTES = 4
/** Size, api key, version and correlation id. */
const HEAD_BYTES = SIZE_BYTES + 2 + 2 + 4
/** Place of the body of an answer: behind size and correlation id. */
const BODY_AT = SIZE_BYTES + 4
/** The number of tagged fields (optional ones, behind all others of each structure): none. */
const NO_TAGS = Buffer.of(0)

/** Makes the request, which creates no topic. Its correlation id is 0. */
export function topicIdsRequest(clientId: string, topics: readonly string[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeInt16BE(API.metadata, SIZE_BYTES)
  head.writeInt16BE(TOPIC_IDS_VERSION, VERSION_AT)
  const named = topics.flatMap((topic) => [NO_ID, lengthOf(Buffer.byteLength(topic)), Buffer.from(topic), NO_TAGS])
  // whether to create topics, and to list rights of the cluster and of topics: no
  const options = Buffer.of(0, 0, 0)
  const body = [kafkaText(clientId), NO_TAGS, lengthOf(topics.length), ...named, options, NO_TAGS]
  const request = Buffer.concat([head, ...body])
  request.writeInt32BE(request.length - SIZE_BYTES)
  return request
}

/** Reads the ids by topic out of the whole answer, without topics that are missing, may not be seen, or have none.
 *  @throws RangeError if the answer ends too early */
export function readTopicIds(answer: Buffer): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const cursor = new Cursor(answer, BODY_AT)
  cursor.tags()
  // throttle time
  cursor.take(4)
  // of each broker its node id, host, port and rack
  cursor.each(() => {
    cursor.take(4)
    cursor.text()
    cursor.take(4)
    cursor.text()
  })
  // cluster, controller
  cursor.text()
  cursor.take(4)
  // topics
  cursor.each(() => {
    const error = cursor.take(2).readInt16BE()
    const name = cursor.text().toString()
    const id = cursor.take(ID_BYTES)
    if (error === 0 && !id.equals(NO_ID)) ids.set(name, id.toString('base64url'))
    // whether it is internal
    cursor.take(1)
    cursor.each(() => {
      // error, partition, leader, epoch
      cursor.take(2 + 4 + 4 + 4)
      // replicas, those in sync, those offline
      for (let list = 0; list < 3; list++) cursor.take(4 * cursor.count())
    })
    // rights
    cursor.take(4)
  })
  return ids
}

/** The length of a text or list as this version writes it: one higher, since 0 stands for null, seven bits a byte, the lowest first. */
function lengthOf(length: number): Buffer {
  const bytes: number[] = []
  let value = length + 1
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Buffer.of(...bytes, value)
}

/** Reads one field after another. All methods move on behind what they read, and throw RangeError if the answer ends too early. */
class Cursor {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  take(size: number): Buffer {
    const from = this.#at
    this.#at += size
    if (this.#at > this.#bytes.length) throw new RangeError('an answer about topics is cut off')
    return this.#bytes.subarray(from, this.#at)
  }

  /** The length of a text or list; null counts as an empty one. */
  count(): number {
    return Math.max(0, this.#varint() - 1)
  }

  /** The bytes of a text. */
  text(): Buffer {
    return this.take(this.count())
  }

  /** Reads a list of structures, each with tagged fields at its end. @param read reads the other fields of one */
  each(read: () => void): void {
    for (let left = this.count(); left > 0; left--) {
      read()
      this.tags()
    }
  }

  tags(): void {
    for (let left = this.#varint(); left > 0; left--) {
      this.#varint()
      this.take(this.#varint())
    }
  }

  #varint(): number {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.take(1).readUInt8()
      value += (byte % 0x80) * unit
      if (byte < 0x80) return value
    }
  }
}
