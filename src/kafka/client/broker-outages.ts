// Which brokers have stopped answering. Each is watched by itself: the sockets of all clients tell its watch of their requests and answers
// (broker-watch.ts), and the run calls `look` twice a second.

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

  /** Brokers whose outage was reported. */
  get down(): BrokerDown[] {
    return [...this.#brokers].flatMap(([place, { state }]) =>
      state?.isLogged === true ? [{ place, since: state.since, cause: state.cause }] : [],
    )
  }

  now(): number {
    return this.#parts.clock.now()
  }

  of(place: string): OutageEvents {
    const known = this.#brokers.get(place)
    if (known) return known
    const { brokerDeadlineMs, ...parts } = this.#parts
    const patience = `It is retried for up to ${span(brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const watched = new WatchedBroker({ ...parts, who: 'The Kafka broker', place, patience })
    this.#brokers.set(place, watched)
    return watched
  }

  look(): void {
    for (const [place, broker] of this.#brokers) {
      if (this.now() - broker.askedAt >= FORGOTTEN_MS && broker.state !== undefined) this.#brokers.delete(place)
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
