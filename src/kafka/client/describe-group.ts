// What a consumer group is like now, asked without joining it. Decides nothing.

import { setTimeout as sleep } from 'node:timers/promises'
import { closeKafkajs } from './close-kafkajs.ts'
import { kafkaProblem } from './kafka-problem.ts'
import { kafkajsClient } from './kafkajs-connection.ts'
import type { KafkaConnection } from './kafkajs-connection.ts'
import { KafkajsWire } from './kafkajs-wire.ts'
import { until } from './until.ts'

export interface GroupState {
  /** Stable, Empty, Dead (also: never heard of), PreparingRebalance, CompletingRebalance. */
  readonly state: string
  /** "consumer" for consumers; "" for a group there is not. */
  readonly protocolType: string
  /** How the members share partitions; "" while they don't. */
  readonly protocol: string
  /** As they call themselves, and as the broker sees them. */
  readonly members: readonly { readonly clientId: string; readonly host: string }[]
}

const ASK_AGAIN_MS = 300

/** Asks again what may pass: a cluster makes the topic of its groups when it is first asked for one.
 *  @param end aborts when it is to be waited for no longer
 *  @returns a problem with what to do; it may hold what a broker sent: to be scrubbed. Never throws. */
export async function describeGroup(
  connection: KafkaConnection,
  group: string,
  end: AbortSignal,
): Promise<GroupState | { readonly problem: string }> {
  const { brokers } = connection
  for (let why = 'no answer in time'; ;) {
    let answered: string | undefined
    try {
      return await ask(connection, group, (error) => (answered = error), end)
    } catch (error) {
      const problem = kafkaProblem(error, { brokers, group, answered })
      if (problem.kind !== 'passing') return { problem: problem.error.message }
      if (!end.aborted) why = problem.text
      await sleep(ASK_AGAIN_MS, undefined, { signal: end }).catch(() => {})
      if (end.aborted) return { problem: `Group ${group}: its coordinator cannot be asked: ${why}. Check the brokers.` }
    }
  }
}

async function ask(
  connection: KafkaConnection,
  group: string,
  answered: (error: string) => void,
  end: AbortSignal,
): Promise<GroupState> {
  const wire = new KafkajsWire()
  const admin = kafkajsClient(connection, wire, { said: () => {}, answered }).admin()
  try {
    await until(admin.connect(), end)
    const { groups } = await until(admin.describeGroups([group]), end)
    return stateOf(groups[0])
  } finally {
    if (end.aborted) wire[Symbol.dispose]()
    await closeKafkajs(admin, wire)
  }
}

type Described = GroupStateOf & { readonly members: readonly { clientId: string; clientHost: string }[] }
type GroupStateOf = Pick<GroupState, 'state' | 'protocolType' | 'protocol'>

function stateOf(group: Described | undefined): GroupState {
  if (!group) return { state: 'Dead', protocolType: '', protocol: '', members: [] }
  const { state, protocolType, protocol } = group
  return {
    state,
    protocolType,
    protocol,
    members: group.members.map(({ clientId, clientHost }) => ({ clientId, host: clientHost })),
  }
}
