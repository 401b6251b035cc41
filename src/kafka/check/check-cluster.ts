// Asks each broker by itself whether it can be used, and the cluster for its other brokers. Says in words for the user what came of that,
// and whether the consumer group can be joined as it is now.

import type { Coded } from '../../core/codes.ts'
import { fail, ok, warn, type CheckFinding } from './check-report.ts'
import { askCluster, type GroupState } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaProblem, problemCode, problemText } from '../client/kafka-problem.ts'
import { counted, span } from '../../text/figures.ts'

/** What asking one broker found. Texts may hold what a broker sent, so scrub them. */
export type BrokerProbe = { readonly address: string } &
  /** It accepts this client. A session lasts for `sessionMs`; without bound when that is `undefined` or 0. */
  (
    | { readonly found: 'ready'; readonly sessionMs?: number | undefined }
    /** It gave no answer in time. */
    | { readonly found: 'silent' }
    /** refused: `text` has whole sentences with what to do. away: it says why the broker cannot be reached. */
    | ({ readonly found: 'refused' | 'away' } & Coded)
  )

/** Whether one broker can be used: connection, TLS, login, version. No other broker is asked, so that its problems are not mixed
 *  in. Never throws.
 *  @param address host:port
 *  @param end aborts to stop waiting */
export async function probeBroker(
  connection: KafkaConnection,
  address: string,
  end: AbortSignal,
): Promise<BrokerProbe> {
  const options = { connection: { ...connection, brokers: [address] }, onlyBroker: address, end, tries: 1 }
  const asked = await askCluster(options, async (admin) => {
    await admin.connect()
    // without a login, a broker that wants one lists its versions, but answers nothing else
    await admin.nodes().catch((error: unknown) => {
      // a passing error comes from another broker, to which we do not connect
      if (end.aborted || kafkaProblem(error, { brokers: [address], group: '' }).kind !== 'passing') throw error
    })
    return admin.sessionMs
  })
  if (asked.kind === 'answered') return { address, found: 'ready', sessionMs: asked.answer }
  if (!asked.problem) return { address, found: 'silent' }
  const { problem } = asked
  const found = problem.kind === 'passing' ? 'away' : 'refused'
  return { address, found, code: problemCode(problem), text: problemText(problem) }
}

const AWAY = 'kafka.unreachable'
const CONFIGURED = 'Check kafka.brokers, and that it runs.'
const ENOUGH = 'A run starts with the others.'
const ADVERTISED =
  'Let its advertised.listeners name an address that can be reached from here, or correct the network or the name service.'

const NODES_TRIES = 8

/** The advertised addresses of a cluster's brokers, host:port each, or what is wrong, which is to be scrubbed. Never throws.
 *  @param end aborts to stop waiting */
export async function clusterNodes(connection: KafkaConnection, end: AbortSignal): Promise<readonly string[] | Coded> {
  let lastError: unknown
  const asked = await askCluster({ connection, end, tries: 1 }, async (admin) => {
    await admin.connect()
    for (let left = NODES_TRIES; left > 0 && !end.aborted; left--) {
      try {
        return await admin.nodes()
      } catch (error) {
        if (!end.aborted) lastError = error
      }
    }
    throw lastError
  })
  if (asked.kind === 'answered') return asked.answer
  const reason = lastError ?? asked.error
  const silent = 'The brokers did not list the members of their cluster in time. Check them.'
  if (reason === undefined) return { code: AWAY, text: silent }
  return nodesAway(brokerOf(reason), problemText(kafkaProblem(reason, { brokers: connection.brokers, group: '' })))
}

/** The problem of a cluster whose brokers did not list its members.
 *  @param address of the one that was asked; `undefined` when not known */
export function nodesAway(address: string | undefined, why: string): Coded {
  const whom = address === undefined ? 'brokers' : `its broker ${address}`
  const found = `The cluster sends its clients on to ${whom}, which cannot be reached from here: ${why.replace(/\.$/, '')}.`
  return { code: AWAY, text: `${found} ${ADVERTISED}` }
}

/** The broker that caused the error. */
function brokerOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('broker' in cause && typeof cause.broker === 'string') return cause.broker
  return undefined
}

/** The shortest session that a client keeps up with: it logs in again two seconds before the end, and brokers refuse two logins within a
 *  second. */
export const SHORTEST_SESSION_MS = 6_000

/** What probes found, as findings. A problem that several brokers have is reported once.
 *  @param whose named: those of `kafka.brokers`, of which one is enough to find the others. advertised: those that the cluster
 *  sends its clients on to besides */
export function brokerFindings(
  probes: readonly BrokerProbe[],
  waitedMs: number,
  whose: 'named' | 'advertised',
): CheckFinding[] {
  const isNamed = whose === 'named'
  const ready = probes.flatMap(({ found, address }) => (found === 'ready' ? [address] : [])).join(', ')
  const briefest = Math.min(...probes.flatMap((probe) => (probe.found === 'ready' && probe.sessionMs) || Infinity))
  const refused = probes.flatMap((probe) => (probe.found === 'refused' ? [probe] : []))
  const refusals = Map.groupBy(refused, ({ text }) => text)
  const usable = isNamed ? `Broker ${ready} can be used.` : `The cluster's other brokers can be used: ${ready}.`
  const isEnough = isNamed && ready !== ''
  return [
    ...(ready === '' ? [] : [ok(usable)]),
    ...(briefest < SHORTEST_SESSION_MS ? [warn('config.warning', briefText(briefest))] : []),
    ...Array.from(refusals, ([text, same]) =>
      fail(same[0]!.code, `Broker ${same.map(({ address }) => address).join(', ')}: ${text}`),
    ),
    ...probes
      .flatMap((probe) => awayTexts(probe, waitedMs, isNamed ? CONFIGURED : ADVERTISED))
      .map((text) => (isEnough ? warn(AWAY, `${text} ${ENOUGH}`) : fail(AWAY, text))),
  ]
}

function briefText(sessionMs: number): string {
  const found = `Brokers end sessions of ${span(Math.ceil(sessionMs / 1_000) * 1_000)} or sooner, and below ${span(SHORTEST_SESSION_MS)} no login keeps up`
  return `${found}. Raise their connections.max.reauth.ms, or let tokens live longer.`
}

/** The text for a broker that is away or silent, in a list. Any other has none. */
function awayTexts(probe: BrokerProbe, waitedMs: number, remedy: string): string[] {
  const { address } = probe
  if (probe.found === 'silent') {
    const found = `Broker ${address} does not answer as a Kafka broker does, within ${waitedMs / 1000} s.`
    return [`${found} ${remedy} Perhaps something on the way drops what is sent, or the port is not Kafka's.`]
  }
  if (probe.found !== 'away') return []
  return [`Broker ${address} cannot be reached: ${probe.text.replace(/\.$/, '')}. ${remedy}${hintOn(probe.text)}`]
}

function hintOn(text: string): string {
  if (/Closed connection|is not understood/.test(text)) return " Perhaps the port is not Kafka's."
  const closes = /ECONNRESET|hang up/i.test(text)
  return closes ? ' Perhaps it wants TLS (kafka.tls) or a login (kafka.sasl), or has another port for you.' : ''
}

/** How our members share partitions, as the group's protocol calls it. */
const OURS = 'RoundRobinAssigner'
/** The kind of consumers' groups. A group that has had no member yet has the kind ''. */
const CONSUMERS = 'consumer'
/** Most members that are named, and characters of a name. */
const MOST_NAMED = 5
const LONGEST_NAME = 60

/** @param hasCommitted `undefined` when not known */
export function groupFinding(group: string, state: GroupState, hasCommitted: boolean | undefined): CheckFinding {
  const { protocolType, protocol, members } = state
  const isOther = protocolType !== '' && protocolType !== CONSUMERS
  if (members.length === 0) {
    if (isOther)
      return warn(
        'kafka.group-unusable',
        `Group ${group} has no members now, but was one of the kind "${protocolType}": its offsets may mean something else. Choose another kafka.group unless that is meant.`,
      )
    if (hasCommitted === undefined) return ok(`Group ${group} has no members now.`)
    return ok(
      `Group ${group} has no members now, and has ${hasCommitted ? '' : 'no '}committed offsets of these topics.`,
    )
  }
  const who = `${counted(members.length, 'member')} (${listed(members)})`
  if (isOther)
    return fail(
      'kafka.group-unusable',
      `Group ${group} is used by ${who} of the kind "${protocolType}" and not by consumers. Choose another kafka.group.`,
    )
  if (protocol !== '' && protocol !== OURS)
    return fail(
      'kafka.group-unusable',
      `Group ${group} is in use by ${who} of another program, which share partitions by "${protocol}" and not by "${OURS}". Stop them, or choose another kafka.group.`,
    )
  return ok(`Group ${group} has ${who} now (${state.state}): a further one gets its share of the partitions.`)
}

function listed(members: GroupState['members']): string {
  const names = members
    .slice(0, MOST_NAMED)
    .map(({ clientId, host }) => `${cut(clientId)} at ${cut(host.replace(/^\//, ''))}`)
  return members.length > MOST_NAMED ? `${names.join(', ')} and ${members.length - MOST_NAMED} more` : names.join(', ')
}

/** Names are others' own. */
function cut(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
}
