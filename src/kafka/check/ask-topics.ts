// Asks where a run would go on in many topics, a few at a time. What is wrong with one does not keep the others from being
// asked. Decides nothing.

import { setTimeout as sleep } from 'node:timers/promises'
import { kafkaProblem } from '../client/kafka-problem.ts'
import { kafkajsAdmin } from '../client/kafkajs-admin.ts'
import type { KafkaConnection } from '../client/kafkajs-connection.ts'
import { until } from '../client/until.ts'
import type { CheckedPartition } from './check-positions.ts'
import { askPositions } from './check-positions.ts'
import type { CheckedTopic } from './check-topics.ts'

/** Where a run would go on, or why that cannot be told. */
export type AskedTopic = readonly CheckedPartition[] | { readonly problem: string }

const LANES = 4
/** What may pass, as while a coordinator is being made, is asked again. */
const TRIES = 3
const ASK_AGAIN_MS = 300

/** One that is still to be asked, and how often it was. */
interface Asking {
  readonly topic: CheckedTopic
  readonly tries: number
}

/** @param group undefined: its offsets cannot be asked for
 *  @param end aborts when it is to be waited for no longer; topics not asked by then are left out. Never throws. */
export async function askTopics(
  topics: readonly CheckedTopic[],
  group: string | undefined,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<ReadonlyMap<string, AskedTopic>> {
  const asked = new Map<string, AskedTopic>()
  const queue: Asking[] = topics.map((topic) => ({ topic, tries: 1 }))
  const lanes = Array.from({ length: Math.min(LANES, topics.length) }, async () => {
    while (queue.length > 0 && !end.aborted) await lane(queue, asked, group, connection, end)
  })
  await Promise.all(lanes)
  return asked
}

/** Until something fails: the client would go on asking for a topic that is gone, and fail with all others. */
async function lane(
  queue: Asking[],
  asked: Map<string, AskedTopic>,
  group: string | undefined,
  connection: KafkaConnection,
  end: AbortSignal,
): Promise<void> {
  await using admin = kafkajsAdmin({ connection })
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { topic, tries } = next
    try {
      asked.set(topic.name, await until(askPositions(topic, group, admin), end))
    } catch (error) {
      if (end.aborted) return
      const problem = kafkaProblem(error, { brokers: connection.brokers, group: group ?? '' })
      asked.set(topic.name, { problem: problem.kind === 'passing' ? `${problem.text}.` : problem.error.message })
      if (problem.kind !== 'passing' || tries === TRIES) return
      queue.push({ topic, tries: tries + 1 })
      await sleep(ASK_AGAIN_MS, undefined, { signal: end }).catch(() => {})
      return
    }
  }
}
