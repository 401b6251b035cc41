// The files a single Kafka broker (KRaft, its own controller) starts from, for tests: small, quick, loopback only.

import { randomBytes } from 'node:crypto'

/** Listener names and their security protocols: `{ TLS: 'SSL' }`. */
export type Listeners = Readonly<Record<string, string>>
export type Ports = Readonly<Record<string, number>>

const OWN_LISTENERS: Listeners = { PLAINTEXT: 'PLAINTEXT', CONTROLLER: 'PLAINTEXT' }

/** All names that need a port. */
export function listenerNames(more: Listeners): string[] {
  return Object.keys({ ...OWN_LISTENERS, ...more })
}

export const SERVER_PROPERTIES_TITLE = '# a Kafka broker for tests, of destination-analytics-service'

/** @param properties come last and win */
export function serverProperties(
  data: string,
  ports: Ports,
  listeners: Listeners,
  properties: Readonly<Record<string, string>>,
): string {
  const addresses = Object.entries(ports).map(([name, port]) => `${name}://127.0.0.1:${port}`)
  const protocols = Object.entries({ ...OWN_LISTENERS, ...listeners }).map((pair) => pair.join(':'))
  const all: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${ports['CONTROLLER']}`,
    listeners: addresses.join(','),
    'advertised.listeners': addresses.filter((address) => !address.startsWith('CONTROLLER:')).join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': protocols.join(','),
    'log.dirs': data,
    'num.partitions': '3',
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    // how long a killed broker's registration stands in its successor's way
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
    ...properties,
  }
  const lines = Object.entries(all).map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
  return `${SERVER_PROPERTIES_TITLE}\n${lines.join('\n')}\n`
}

/** As Java's Properties reads it: its separators and all beyond printable ASCII are escaped. */
function escaped(text: string): string {
  return text.replaceAll(/[\\:=#!\s]|[^\x20-\x7e]/g, (character) =>
    /[\\:=#! ]/.test(character) ? `\\${character}` : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** For the logger of Kafka 4; that of 3 takes its level from a Java property. */
export function log4j2Properties(loud: readonly string[] = []): string {
  const loggers = loud.map((name, at) => `logger.l${at}.name=${name}\nlogger.l${at}.level=debug\n`)
  return `${LOG4J2_PROPERTIES}${loggers.join('')}`
}

const LOG4J2_PROPERTIES = `status=error
appender.c.type=Console
appender.c.name=C
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d %p %m (%c)%n%throwable
rootLogger.level=warn
rootLogger.appenderRef.c.ref=C
`

/** 16 bytes in base64url. One that begins with a hyphen is taken for an option when formatting. */
export function drawClusterId(): string {
  const id = randomBytes(16).toString('base64url')
  return id.startsWith('-') ? drawClusterId() : id
}
