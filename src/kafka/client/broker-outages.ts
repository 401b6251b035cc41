// Which brokers have stopped answering. Each is watched by itself.

import type { OutageEvents } from '../../core/network.ts'
import type { Clock } from '../../core/types.ts'
import type { BrokerWatch } from './broker-watch.ts'
import type { Log } from '../../process/io.ts'
import type { OutageList } from '../../run/outage-list.ts'
import { OutageWatch } from '../../telemetry/outage-watch.ts'
import type { BrokerDown } from '../../run/run-facts.ts'
import { span } from '../../text/figures.ts'

/** A broker that no request went to for this time has left the cluster: clients learn from the others which ones there are. */
const FORGOTTEN_MS = 120_000

interface Watched {
  readonly watch: OutageWatch
  readonly events: OutageEvents
  askedAt: number
}

interface BrokerOutagesParts {
  readonly brokerDeadlineMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly outages?: OutageList | undefined
}

export class BrokerOutages implements BrokerWatch {
  readonly #parts: BrokerOutagesParts
  readonly #brokers = new Map<string, Watched>()

  constructor(parts: BrokerOutagesParts) {
    this.#parts = parts
  }

  get isFailing(): boolean {
    return [...this.#brokers.values()].some(({ watch }) => watch.state !== undefined)
  }

  /** Brokers whose outage was reported. */
  get down(): BrokerDown[] {
    return [...this.#brokers].flatMap(
      ([
        place,
        {
          watch: { state },
        },
      ]) => (state?.isLogged === true ? [{ place, since: state.since, cause: state.cause }] : []),
    )
  }

  now(): number {
    return this.#parts.clock.now()
  }

  of(place: string): OutageEvents {
    const known = this.#brokers.get(place) ?? this.#watched(place)
    this.#brokers.set(place, known)
    return known.events
  }

  look(): void {
    for (const [place, { watch, askedAt }] of this.#brokers) {
      if (this.now() - askedAt >= FORGOTTEN_MS && watch.state !== undefined) this.#brokers.delete(place)
      else watch.look()
    }
  }

  #watched(place: string): Watched {
    const { brokerDeadlineMs, clock, log, outages } = this.#parts
    const patience = `It is retried for up to ${span(brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const watch = new OutageWatch({ who: 'The Kafka broker', place, patience, clock, log, outages })
    const began = (): void => {
      watched.askedAt = clock.now()
      watch.began()
    }
    const events: OutageEvents = {
      began,
      answered: () => watch.answered(),
      throttled: () => watch.throttled(),
      failed: (cause, remedy) => watch.failed(cause, remedy),
      ended: () => watch.ended(),
    }
    const watched = { watch, events, askedAt: clock.now() }
    return watched
  }
}
