// Finds and logs which brokers have stopped answering. Each is watched by itself: the sockets of all clients tell its watch of requests and
// answers (broker-watch.ts), and the run calls `look` twice a second.

import type { OutageEvents } from '../../core/network.ts'
import type { Clock } from '../../core/types.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { Log } from '../../process/io.ts'
import { OutageWatch, type OutageParts } from '../../telemetry/outage-watch.ts'
import type { BrokerDown, ListedOutage } from '../../run/run-facts.ts'
import { span } from '../../text/figures.ts'

/** A broker that no request went to for this time has left the cluster: clients learn from the others which ones there are. */
const FORGOTTEN_MS = 120_000

interface BrokerOutagesParts {
  readonly brokerDeadlineMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Takes the outages that are logged. */
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
    return [...this.#brokers].flatMap(([place, { state }]) =>
      state?.isLogged === true ? [{ place, since: state.since, cause: state.cause }] : [],
    )
  }

  now(): number {
    return this.#parts.clock.now()
  }

  eventsOf(address: string): OutageEvents {
    const known = this.#brokers.get(address)
    if (known) return known
    const { brokerDeadlineMs, ...parts } = this.#parts
    const patience = `It is retried for up to ${span(brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const watched = new WatchedBroker({ ...parts, who: 'The Kafka broker', place: address, patience })
    this.#brokers.set(address, watched)
    return watched
  }

  /** Logs what is due, and forgets brokers that have left the cluster. */
  look(): void {
    for (const [address, broker] of this.#brokers) {
      if (this.now() - broker.askedAt >= FORGOTTEN_MS && broker.state !== undefined) this.#brokers.delete(address)
      else broker.look()
    }
  }
}

class WatchedBroker extends OutageWatch {
  readonly #clock: OutageParts['clock']
  /** The time of the latest request to it. */
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
