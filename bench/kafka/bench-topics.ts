// The bench's topics: each made and filled when first asked for, read by everybody, deleted at the end. Knows no program.

import { randomUUID } from 'node:crypto'
import { KafkaClient, type NewRecord } from '../../integration_tests/kafka/client.ts'
import { createRandom } from '../random.ts'
import { messageText } from './message.ts'

const AT_ONCE = 12_000

export class BenchTopics implements AsyncDisposable {
  readonly bootstrap: string
  readonly #client: KafkaClient
  readonly #progress: (line: string) => void
  /** Filled ones, by messages and partitions. */
  readonly #topics = new Map<string, string>()
  readonly #made: string[] = []
  readonly #groups: string[] = []

  private constructor(bootstrap: string, client: KafkaClient, progress: (line: string) => void) {
    this.bootstrap = bootstrap
    this.#client = client
    this.#progress = progress
  }

  static async connect(bootstrap: string, progress: (line: string) => void): Promise<BenchTopics> {
    return new BenchTopics(bootstrap, await KafkaClient.connect(bootstrap), progress)
  }

  /** The name of a topic with so many messages, record key and `id` of the value counting up from 1, dealt to the
   *  partitions in turn. */
  async filled(messages: number, partitions: number, signal: AbortSignal): Promise<string> {
    const shape = `${messages}-${partitions}`
    let topic = this.#topics.get(shape)
    if (topic === undefined) {
      topic = `bench-${shape}-${randomUUID()}`
      await this.#client.createTopic(topic, partitions)
      this.#made.push(topic)
      await this.#fill(topic, messages, partitions, signal)
      this.#topics.set(shape, topic)
    }
    return topic
  }

  /** @throws when the group has not committed the end of every partition */
  async checkRead(topic: string, group: string): Promise<void> {
    this.#groups.push(group)
    const [committed, ends] = [await this.#client.committed(group, topic), await this.#client.highWatermarks(topic)]
    const behind = ends.findIndex((end, partition) => committed[partition] !== end)
    if (behind !== -1)
      throw new Error(`partition ${behind} was committed up to ${committed[behind]}, its end is ${ends[behind]}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // one whose members did not leave is not empty yet, and goes by itself
    for (const group of this.#groups) await this.#client.deleteGroup(group).catch(() => {})
    for (const topic of this.#made) await this.#client.deleteTopic(topic)
    await this.#client[Symbol.asyncDispose]()
  }

  async #fill(topic: string, messages: number, partitions: number, signal: AbortSignal): Promise<void> {
    this.#progress(`filling a topic: ${messages.toLocaleString('en-US')} messages, partitions: ${partitions}`)
    const random = createRandom(1)
    for (let from = 1; from <= messages; from += AT_ONCE) {
      signal.throwIfAborted()
      const ids = Array.from({ length: Math.min(AT_ONCE, messages - from + 1) }, (_, index) => from + index)
      const records = ids.map((id): NewRecord => {
        return { partition: id % partitions, key: `${id}`, value: messageText(id, random) }
      })
      await this.#client.produce(topic, records)
    }
  }
}
