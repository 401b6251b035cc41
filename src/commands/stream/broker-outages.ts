// The brokers of a run, each by its host:port, and which of them have stopped answering.

import type { OutageEvents } from '../../core/outage-events.ts'
import type { Clock } from '../../core/types.ts'
import type { BrokerWatch } from '../../kafka/client/broker-watch.ts'
import { span } from '../../text/figures.ts'
import { OutageWatch } from '../../telemetry/outage-watch.ts'
import type { BrokerDown } from '../../telemetry/stream/stream-facts.ts'
import type { TellOutage } from '../outages.ts'

/** A broker that nobody has asked for so long has left the cluster: clients are told which ones there are. */
const FORGOTTEN_MS = 120_000

interface Watched {
  readonly watch: OutageWatch
  readonly events: OutageEvents
  askedAt: number
}

export interface BrokerOutagesParts {
  readonly brokerDeadlineMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly tell: TellOutage
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

  /** Those whose outage was told. */
  get down(): BrokerDown[] {
    return [...this.#brokers].flatMap(
      ([
        place,
        {
          watch: { state },
        },
      ]) => (state?.isTold === true ? [{ place, since: state.since, cause: state.cause }] : []),
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
    const { brokerDeadlineMs, clock, tell } = this.#parts
    const patience = `It is tried again for up to ${span(brokerDeadlineMs)} (kafka.broker_deadline_seconds).`
    const watch = new OutageWatch({ who: 'The Kafka broker', place, patience, clock, tell })
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
