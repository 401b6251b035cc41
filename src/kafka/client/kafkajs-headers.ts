// Headers as kafkajs encodes them, in their own order, with repeated names and without values. What it offers for headers
// is an object: that has no order between repeated names, puts names such as "1" first, and throws at a null.

import type { IHeaders } from 'kafkajs'
import type { KafkaHeader } from '../types.ts'

const NOTHING = Buffer.alloc(0)

/** The client asks an array of values for name and value pairs by `map`, once each time it encodes: it is answered with
 *  all headers there are. The tests hold this against a real broker. */
export function kafkajsHeaders(headers: readonly KafkaHeader[]): IHeaders {
  return { all: Object.assign<Buffer[], object>([], { map: () => headers.map(pairOf) }) }
}

function pairOf([key, value]: KafkaHeader): object {
  return value === null ? new NullHeader(key) : { key, value }
}

/** It measures a value before it looks whether there is one. */
class NullHeader {
  readonly key: string
  #isMeasured = false

  constructor(key: string) {
    this.key = key
  }

  get value(): Buffer | null {
    if (this.#isMeasured) return null
    this.#isMeasured = true
    return NOTHING
  }
}
