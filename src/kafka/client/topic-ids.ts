// The bytes of a request for the ids of topics, which kafkajs does not have, and of its answer (Kafka protocol: Metadata, version 10). If a
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
const BODY_AT = 8
/** The number of tagged fields, which end each structure: none. */
const NO_TAGS = Buffer.of(0)

/** Makes the request, which creates no topic. Its correlation id is 0. */
export function topicIdsRequest(clientId: string, topics: readonly string[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeInt16BE(API.metadata, VERSION_AT - 2)
  head.writeInt16BE(TOPIC_IDS_VERSION, VERSION_AT)
  const named = topics.flatMap((topic) => [NO_ID, varint(Buffer.byteLength(topic) + 1), Buffer.from(topic), NO_TAGS])
  // create topics, and list rights of the cluster and of topics: no
  const options = Buffer.of(0, 0, 0)
  const body = [kafkaText(clientId), NO_TAGS, varint(topics.length + 1), ...named, options, NO_TAGS]
  const request = Buffer.concat([head, ...body])
  request.writeInt32BE(request.length - SIZE_BYTES)
  return request
}

/** @param answer whole, with size and correlation id
 *  @returns ids by topic, without topics that are missing, may not be seen, or have none
 *  @throws RangeError if it is not understood */
export function readTopicIds(answer: Buffer): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const cursor = new Cursor(answer, BODY_AT)
  cursor.tags()
  // throttle time
  cursor.skip(4)
  cursor.each(() => {
    // node; host, port, rack
    cursor.skip(4)
    cursor.text()
    cursor.skip(4)
    cursor.text()
  })
  // cluster, controller
  cursor.text()
  cursor.skip(4)
  cursor.each(() => {
    const error = cursor.skip(2).readInt16BE()
    const name = cursor.text().toString()
    const id = cursor.skip(ID_BYTES)
    if (error === 0 && !id.equals(NO_ID)) ids.set(name, id.toString('base64url'))
    // whether it is internal
    cursor.skip(1)
    cursor.each(() => {
      // error, partition, leader, epoch
      cursor.skip(2 + 4 + 4 + 4)
      // replicas, those in sync, those offline
      for (let list = 0; list < 3; list++) cursor.skip(4 * cursor.count())
    })
    // rights
    cursor.skip(4)
  })
  return ids
}

/** A number as this version writes it, seven bits a byte. Lengths are written one higher than they are: 0 stands for null. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  return Buffer.of(...bytes, value)
}

/** Reads one field after another. All methods move on behind it, and throw RangeError if the answer ends too early. */
class Cursor {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  skip(size: number): Buffer {
    const from = this.#at
    this.#at += size
    if (this.#at > this.#bytes.length) throw new RangeError('an answer about topics is cut off')
    return this.#bytes.subarray(from, this.#at)
  }

  /** The length of a text or list; null counts as an empty one. */
  count(): number {
    return Math.max(0, this.#varint() - 1)
  }

  text(): Buffer {
    return this.skip(this.count())
  }

  /** A list of structures, each with tagged fields at its end. @param read reads the other fields of one */
  each(read: () => void): void {
    for (let left = this.count(); left > 0; left--) {
      read()
      this.tags()
    }
  }

  tags(): void {
    for (let left = this.#varint(); left > 0; left--) {
      this.#varint()
      this.skip(this.#varint())
    }
  }

  #varint(): number {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.skip(1).readUInt8()
      value += (byte % 0x80) * unit
      if (byte < 0x80) return value
    }
  }
}
