// Findings of `stream --check` on the cluster: whether each broker can be used, which is asked of each by itself; which other brokers the
// cluster sends its clients on to; and whether the consumer group can be joined as it is now.

import type { Coded } from '../../core/codes.ts'
import { fail, ok, warn, type CheckFinding } from './check-report.ts'
import { askCluster, type GroupState } from '../client/admin.ts'
import type { KafkaConnection } from '../client/connection.ts'
import { kafkaProblem, problemCode, problemText } from '../client/kafka-problem.ts'
import { counted, span } from '../../text/figures.ts'

/** The state of one broker, as asking it shows. ready: it accepts this client; a login is good for `sessionMs`, and without bound when that is
 *  0 or `undefined`. silent: it gave no answer in time. refused: it does not accept this client; `text` has whole sentences with what to do.
 *  away: it cannot be reached; `text` says why. Texts may hold what a broker sent, so scrub them. */
export type BrokerProbe = { readonly address: string } & (
  | { readonly found: 'ready'; readonly sessionMs?: number | undefined }
  | { readonly found: 'silent' }
  | ({ readonly found: 'refused' | 'away' } & Coded)
)

/** Finds out whether one broker can be used: connection, TLS, login, version. No other broker is asked, so that problems of others are
 *  not mixed in. Never throws.
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
      // an error that may pass is about another broker, to which this client does not connect
      if (end.aborted || kafkaProblem(error, { brokers: [address] }).kind !== 'passing') throw error
    })
    return admin.sessionMs
  })
  if (asked.kind === 'answered') return { address, found: 'ready', sessionMs: asked.answer }
  if (!asked.problem) return { address, found: 'silent' }
  const { problem } = asked
  const found = problem.kind === 'passing' ? 'away' : 'refused'
  return { address, found, code: problemCode(problem), text: problemText(problem) }
}

const UNREACHABLE = 'kafka.unreachable'
const OTHERS_ARE_ENOUGH = 'A run starts with the others.'
/** Remedies for a broker that is away: of those in `kafka.brokers`, and of those that the cluster sends its clients on to. */
const NAMED_REMEDY = 'Check kafka.brokers, and that it runs.'
const ADVERTISED_REMEDY =
  'Let its advertised.listeners name an address that can be reached from here, or correct the network or the name service.'

/** How often one client asks for the list of brokers. Each time it asks any of them, perhaps one that cannot be reached. */
const NODES_TRIES = 8

/** The advertised addresses of a cluster's brokers, host:port each, or what is wrong (scrub it). Never throws.
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
  const noAnswer = 'The brokers did not list the members of their cluster in time. Check them.'
  if (reason === undefined) return { code: UNREACHABLE, text: noAnswer }
  const problem = kafkaProblem(reason, { brokers: connection.brokers })
  return nodesAway(brokerOf(reason), problemText(problem))
}

/** The problem of a cluster whose brokers did not list its members.
 *  @param address of the broker that was asked; `undefined` when it is not known which one that was */
export function nodesAway(address: string | undefined, why: string): Coded {
  const whom = address === undefined ? 'brokers' : `its broker ${address}`
  const found = `The cluster sends its clients on to ${whom}, which cannot be reached from here: ${why.replace(/\.$/, '')}.`
  return { code: UNREACHABLE, text: `${found} ${ADVERTISED_REMEDY}` }
}

/** The broker that caused the error, which the Kafka client adds to some errors. `undefined` when none of the causes names one. */
function brokerOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('broker' in cause && typeof cause.broker === 'string') return cause.broker
  return undefined
}

/** The shortest session between two logins that a client keeps up with: it logs in again two seconds before the end, and brokers refuse
 *  two logins within a second. */
export const SHORTEST_SESSION_MS = 6_000

/** Findings from probes of brokers, each of which waited for `waitedMs` at most. A refusal that several brokers share is reported once.
 *  @param whose named: those of `kafka.brokers`, of which one is enough to find the others. advertised: the others, which the cluster
 *  sends its clients on to, and which must all be reached */
export function brokerFindings(
  probes: readonly BrokerProbe[],
  waitedMs: number,
  whose: 'named' | 'advertised',
): CheckFinding[] {
  const isNamed = whose === 'named'
  const ready = probes.flatMap(({ found, address }) => (found === 'ready' ? [address] : [])).join(', ')
  const shortestMs = Math.min(...probes.map((probe) => (probe.found === 'ready' && probe.sessionMs) || Infinity))
  const refused = probes.flatMap((probe) => (probe.found === 'refused' ? [probe] : []))
  const refusedByText = Map.groupBy(refused, ({ text }) => text)
  const usable = isNamed ? `Broker ${ready} can be used.` : `The cluster's other brokers can be used: ${ready}.`
  const isEnough = isNamed && ready !== ''
  return [
    ...(ready === '' ? [] : [ok(usable)]),
    ...(shortestMs < SHORTEST_SESSION_MS ? [warn('config.warning', shortSessionText(shortestMs))] : []),
    ...Array.from(refusedByText, ([text, same]) =>
      fail(same[0]!.code, `Broker ${same.map(({ address }) => address).join(', ')}: ${text}`),
    ),
    ...probes
      .flatMap((probe) => awayTexts(probe, waitedMs, isNamed ? NAMED_REMEDY : ADVERTISED_REMEDY))
      .map((text) => (isEnough ? warn(UNREACHABLE, `${text} ${OTHERS_ARE_ENOUGH}`) : fail(UNREACHABLE, text))),
  ]
}

function shortSessionText(sessionMs: number): string {
  const found = `Brokers end sessions of ${span(Math.ceil(sessionMs / 1_000) * 1_000)} or sooner, and below ${span(SHORTEST_SESSION_MS)} no login keeps up`
  return `${found}. Raise their connections.max.reauth.ms, or let tokens live longer.`
}

/** The text for a broker that is away or silent, as a list of one; empty for any other broker. */
function awayTexts(probe: BrokerProbe, waitedMs: number, remedy: string): string[] {
  const { address } = probe
  if (probe.found === 'silent') {
    const found = `Broker ${address} does not answer as a Kafka broker does, within ${waitedMs / 1000} s.`
    return [`${found} ${remedy} Perhaps something on the way drops what is sent, or the port is not Kafka's.`]
  }
  if (probe.found !== 'away') return []
  return [`Broker ${address} cannot be reached: ${probe.text.replace(/\.$/, '')}. ${remedy}${hintFrom(probe.text)}`]
}

/** A guess at the cause, from the Kafka client's words for the failure, with a space in front; '' when they suggest none. */
function hintFrom(text: string): string {
  if (/Closed connection|is not understood/.test(text)) return " Perhaps the port is not Kafka's."
  const closes = /ECONNRESET|hang up/i.test(text)
  return closes ? ' Perhaps it wants TLS (kafka.tls) or a login (kafka.sasl), or has another port for you.' : ''
}

/** The way in which our members share partitions: the `protocol` of their group, which is '' while no way is agreed on. */
const OUR_ASSIGNER = 'RoundRobinAssigner'
/** The kind (`protocolType`) of a group of consumers. A group that has had no member yet has the kind ''. */
const CONSUMER_KIND = 'consumer'
/** Most members of the group that a message names, and most characters of a name. */
const MOST_NAMED = 5
const LONGEST_NAME = 60

/** Whether a run could join the group as it is now, as a finding.
 *  @param hasCommitted whether the group has committed offsets of the topics to read; `undefined` when that is not known */
export function groupFinding(group: string, state: GroupState, hasCommitted: boolean | undefined): CheckFinding {
  const { protocolType, protocol, members, state: stateName } = state
  const isOtherKind = protocolType !== '' && protocolType !== CONSUMER_KIND
  if (members.length === 0) {
    const wasOtherKind = `Group ${group} has no members now, but was one of the kind "${protocolType}": its offsets may mean something else. Choose another kafka.group unless that is meant.`
    if (isOtherKind) return warn('kafka.group-unusable', wasOtherKind)
    if (hasCommitted === undefined) return ok(`Group ${group} has no members now.`)
    const offsets = `${hasCommitted ? '' : 'no '}committed offsets of these topics`
    return ok(`Group ${group} has no members now, and has ${offsets}.`)
  }
  const who = `${counted(members.length, 'member')} (${listedMembers(members)})`
  const otherKind = `Group ${group} is used by ${who} of the kind "${protocolType}" and not by consumers. Choose another kafka.group.`
  if (isOtherKind) return fail('kafka.group-unusable', otherKind)
  const otherProgram = `Group ${group} is in use by ${who} of another program, which share partitions by "${protocol}" and not by "${OUR_ASSIGNER}". Stop them, or choose another kafka.group.`
  if (protocol !== '' && protocol !== OUR_ASSIGNER) return fail('kafka.group-unusable', otherProgram)
  return ok(`Group ${group} has ${who} now (${stateName}): a further one gets its share of the partitions.`)
}

function listedMembers(members: GroupState['members']): string {
  // brokers write an address with a slash in front: /10.0.0.1
  const names = members
    .slice(0, MOST_NAMED)
    .map(({ clientId, host }) => `${shortName(clientId)} at ${shortName(host.replace(/^\//, ''))}`)
  return members.length > MOST_NAMED ? `${names.join(', ')} and ${members.length - MOST_NAMED} more` : names.join(', ')
}

/** Shortens a name: other programs choose them, at any length. */
function shortName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
}
