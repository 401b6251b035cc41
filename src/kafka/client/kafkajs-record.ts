// A message of kafkajs as a record, read only where it is asked for: hundreds of thousands pass a second.

import type { KafkaMessage } from 'kafkajs'
import { recordHeaders } from '../log/record-headers.ts'
import type { KafkaHeader, KafkaRecord } from '../types.ts'

/** Nothing is kept of what was read: ask once. */
export class KafkajsRecord implements KafkaRecord {
  readonly #message: KafkaMessage

  constructor(message: KafkaMessage) {
    this.#message = message
  }

  get offset(): bigint {
    return BigInt(this.#message.offset)
  }

  get timestamp(): bigint {
    return BigInt(this.#message.timestamp)
  }

  get key(): Buffer | null {
    return this.#message.key
  }

  get value(): Buffer | null {
    return this.#message.value
  }

  get headers(): readonly KafkaHeader[] {
    return recordHeaders(this.#message)
  }
}
