// A stream that fetches its tokens, through some time in which something may happen to the token server: what became of it, in numbers.

import { setTimeout as sleep } from 'node:timers/promises'
import { uniqueName } from '../kafka/available.ts'
import type { Broker, StartBroker } from '../kafka/broker.ts'
import { StreamDriver, tableOf } from '../stream/driver.ts'
import type { StreamProcess } from '../stream/stream-process.ts'
import { CLIENT_SECRET, TokenServer, type Behaviour } from './token-server.ts'
import { expiredConnections, startIdentityBroker } from './identity-broker.ts'

/** Tokens and secrets, in what nobody may see. */
export const SECRETS = /canary-secret|eyJ/

export interface Scene {
  readonly server: TokenServer
  readonly broker: Broker
  readonly stream: StreamDriver
}

/** @param before is done before the broker asks for keys */
export async function openScene(
  startBroker: StartBroker,
  behaviour: Behaviour,
  before?: (server: TokenServer) => Promise<void>,
): Promise<Scene & AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await TokenServer.start(behaviour))
  await before?.(server)
  const broker = stack.use(await startIdentityBroker(startBroker, server))
  const stream = stack.use(await StreamDriver.open(broker.bootstrap))
  const opened = stack.move()
  return { server, broker, stream, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

export interface RoundOptions {
  readonly seconds: number
  /** More of `kafka.sasl.oauth`. */
  readonly oauth?: object
  /** More of `kafka`. */
  readonly kafka?: object
  /** What happens meanwhile; the round lasts until it has ended. */
  readonly meanwhile?: (process: StreamProcess) => Promise<void>
}

export interface Round {
  readonly produced: number
  readonly rows: number
  /** Rows that are missing, or are not as they were sent. */
  readonly wrong: number
  readonly rebalances: number
  readonly restarts: number
  readonly tokens: number
  readonly expired: number
  /** Times that a committed offset was lower than before. */
  readonly stepsBack: number
  /** The longest time in which nothing was committed. */
  readonly longestPauseMs: number
  readonly text: string
}

const EVERY_MS = 100

/** @throws when it ended meanwhile, or what was produced did not become rows */
export async function playRound({ server, broker, stream }: Scene, options: RoundOptions): Promise<Round> {
  const { seconds, oauth, kafka, meanwhile } = options
  const [topic, group] = [await stream.topic(3), uniqueName('identity')]
  const [askedBefore, expiredBefore] = [server.asked, await expiredConnections(broker)]
  await using process = await stream.start({
    topics: [{ topic, keys: ['id'] }],
    group,
    kafka: {
      brokers: [broker.address('OAUTH')],
      sasl: await saslOf({ server, stream }, oauth),
      session_timeout_seconds: 30,
      rebalance_timeout_seconds: 30,
      ...kafka,
    },
    config: { request_timeout_seconds: 10, health: { host: '127.0.0.1', port: 0 } },
  })
  await process.said(/^Joined the group/)
  const offsets = new Offsets()
  const happens = meanwhile?.(process)
  // it is awaited at the end
  happens?.catch(() => {})
  let produced = 0
  const sent: string[] = []
  for (const end = performance.now() + seconds * 1_000; performance.now() < end && process.isAlive;) {
    const value = JSON.stringify({ id: ++produced })
    sent.push(value)
    await stream.client.produce(topic, [{ key: String(produced), value }])
    offsets.saw(await stream.client.committed(group, topic))
    await sleep(EVERY_MS)
  }
  await happens
  const expected = sent.map((value) => value.replace('{', '{"keys":["id"],'))
  await stream.rowsAre(tableOf(topic), expected, process)
  if (!process.isAlive) throw new Error(`it has ended:\n${process.toString()}`)
  const rows = await stream.rows(tableOf(topic))
  const ended = await stream.stop(process)
  const missing = new Set(expected)
  for (const row of rows) missing.delete(row)
  const count = (pattern: RegExp): number => ended.lines.filter(({ message }) => pattern.test(message)).length
  return {
    produced,
    rows: rows.length,
    wrong: missing.size,
    rebalances: count(/^Joined the group/),
    restarts: count(/client is restarted/),
    tokens: server.asked - askedBefore,
    expired: (await expiredConnections(broker)) - expiredBefore,
    stepsBack: offsets.stepsBack,
    longestPauseMs: Math.round(offsets.longestPauseMs),
    text: ended.stdout + ended.stderr,
  }
}

/** `kafka.sasl` of a client of the server. @param more of `oauth` */
export async function saslOf({ server, stream }: Pick<Scene, 'server' | 'stream'>, more: object = {}): Promise<object> {
  const secret = { file: await stream.work.file(uniqueName('client-secret'), CLIENT_SECRET) }
  const oauth = { token_url: server.tokenUrl, client_id: 'stream', client_secret: secret, scope: 'kafka', ...more }
  const given = Object.fromEntries(Object.entries(oauth).filter(([, value]) => value !== null))
  return { mechanism: 'oauthbearer', oauth: given }
}

/** Committed offsets as they go. */
class Offsets {
  stepsBack = 0
  longestPauseMs = 0
  #last: readonly bigint[] = []
  #movedAt = performance.now()

  saw(read: readonly (bigint | undefined)[]): void {
    const now = read.map((offset) => offset ?? 0n)
    if (now.some((offset, at) => offset < (this.#last[at] ?? 0n))) this.stepsBack++
    if (now.some((offset, at) => offset > (this.#last[at] ?? 0n))) this.#movedAt = performance.now()
    this.longestPauseMs = Math.max(this.longestPauseMs, performance.now() - this.#movedAt)
    this.#last = now
  }
}
