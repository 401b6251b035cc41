// Logs which brokers stopped answering. Each has a watch, which sockets tell of requests and answers (broker-watch.ts).

import type { OutageEvents } from '../../core/network.ts'
import type { Clock } from '../../core/types.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { Log } from '../../process/io.ts'
import { OutageWatch, type OutageParts } from '../../telemetry/outage-watch.ts'
import type { BrokerDown, ListedOutage } from '../../run/run-facts.ts'
import { span } from '../../text/figures.ts'

/** A failing broker that no request went to for this time has left the cluster: clients learn from the others which ones there are. */
const FORGOTTEN_MS = 120_000

interface BrokerOutagesParts {
  readonly brokerDeadlineMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** A list to which each outage that is logged is added. `undefined` when it is not wanted. */
  readonly outages?: ListedOutage[] | undefined
}

export class BrokerOutages implements BrokerWatch {
  readonly #parts: BrokerOutagesParts
  readonly #brokers = new Map<string, WatchedBroker>()

  constructor(parts: BrokerOutagesParts) {
    this.#parts = parts
  }

  get isFailing(): boolean {
    return [...this.#brokers.values()].some(({ state }) => state !== undefined)
  }

  /** Brokers whose outage was logged; a failure that is only seconds old is not. */
  get down(): BrokerDown[] {
    return [...this.#brokers].flatMap(([address, { state }]) =>
      state?.isLogged === true ? [{ place: address, since: state.since, cause: state.cause }] : [],
    )
  }

  now(): number {
    return this.#parts.clock.now()
  }

  /** The watch of one broker, made at the first call for its address. */
  eventsOf(address: string): OutageEvents {
    const known = this.#brokers.get(address)
    if (known) return known
    const { brokerDeadlineMs, ...parts } = this.#parts
    const patience = `It is retried for up to ${span(brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const watched = new WatchedBroker({ ...parts, who: 'The Kafka broker', place: address, patience })
    this.#brokers.set(address, watched)
    return watched
  }

  /** Logs what is due, and forgets brokers that have left the cluster. To be called twice a second. */
  look(): void {
    for (const [address, broker] of this.#brokers) {
      if (this.now() - broker.askedAt >= FORGOTTEN_MS && broker.state !== undefined) this.#brokers.delete(address)
      else broker.look()
    }
  }
}

/** An outage watch that also notes when a request was last sent. */
class WatchedBroker extends OutageWatch {
  readonly #clock: OutageParts['clock']
  askedAt: number

  constructor(parts: OutageParts) {
    super(parts)
    this.#clock = parts.clock
    this.askedAt = parts.clock.now()
  }

  override began(): void {
    this.askedAt = this.#clock.now()
    super.began()
  }
}
