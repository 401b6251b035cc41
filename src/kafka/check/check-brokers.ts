// What asking each broker came to, in words for the user. Knows no client.

import type { BrokerProbe } from '../client/probe-broker.ts'
import type { ClusterNodes } from '../client/cluster-nodes.ts'
import type { CheckFinding } from './check-finding.ts'
import { fail, ok, warn } from './check-finding.ts'

/** Of `kafka.brokers`, of which one is enough to find the others. One problem that several have is told once. */
export function brokerFindings(probes: readonly BrokerProbe[], waitedMs: number): CheckFinding[] {
  const ready = probes.flatMap(({ found, address }) => (found === 'ready' ? [address] : []))
  const refused = probes.flatMap((probe) => (probe.found === 'refused' ? [probe] : []))
  const refusals = Map.groupBy(refused, ({ text }) => text)
  return [
    ...(ready.length > 0 ? [ok(`Broker ${ready.join(', ')} can be used.`)] : []),
    ...Array.from(refusals, ([text, same]) => fail(`Broker ${same.map(({ address }) => address).join(', ')}: ${text}`)),
    ...probes
      .flatMap((probe) => awayTexts(probe, waitedMs, CONFIGURED))
      .map((text) => (ready.length > 0 ? warn(`${text} ${ENOUGH}`) : fail(text))),
  ]
}

/** Of brokers the cluster sends its clients on to, which `kafka.brokers` does not name. */
export function nodeFindings(probes: readonly BrokerProbe[], waitedMs: number): CheckFinding[] {
  const ready = probes.filter(({ found }) => found === 'ready').map(({ address }) => address)
  return [
    ...(ready.length > 0 ? [ok(`The cluster's other brokers can be used: ${ready.join(', ')}.`)] : []),
    ...probes.flatMap((probe) => {
      if (probe.found === 'refused') return [fail(`Broker ${probe.address}: ${probe.text}`)]
      return awayTexts(probe, waitedMs, ADVERTISED).map(fail)
    }),
  ]
}

/** Where the cluster would not tell its brokers. */
export function clusterFinding(found: Exclude<ClusterNodes, { nodes: unknown }>): CheckFinding {
  const { address, text } = found
  if (text === undefined) return fail('The brokers did not tell in time who belongs to their cluster. Check them.')
  const whom = address === undefined ? 'brokers' : `its broker ${address}`
  return fail(`The cluster sends its clients on to ${whom}, not to be reached from here: ${text}. ${ADVERTISED}`)
}

const CONFIGURED = 'Check kafka.brokers, and that it runs.'
const ENOUGH = 'A run begins with the others.'
const ADVERTISED =
  'Let its advertised.listeners name an address that can be reached from here, or correct the network or the name service.'

/** None for one that is not away. */
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
