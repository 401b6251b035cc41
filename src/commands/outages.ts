// The servers a run depends on, and whether they have stopped answering: how that is watched, and for how long each is tried.

import type { LimitsConfig } from '../config/write/write-load.ts'
import type { Clock } from '../core/types.ts'
import type { Log } from '../process/io.ts'
import type { ServiceOptions } from '../service/http/http.ts'
import { createTransport } from '../service/import/transport.ts'
import { OutageWatch } from '../telemetry/outage-watch.ts'
import { WatchedTransport } from '../telemetry/watched-transport.ts'
import { span } from '../text/figures.ts'

const LOOK_MS = 500

/** The service as the sink of a run that reads on its own, without a group: its outages are logged until `signal`. Opens nothing
 *  yet; disposing of it breaks off what is in flight. */
export function openService(
  options: ServiceOptions,
  limits: LimitsConfig,
  { log, clock, signal }: { readonly log: Log; readonly clock: Clock; readonly signal: AbortSignal },
): WatchedTransport & AsyncDisposable {
  const client = createTransport(options)
  const outage = serviceOutage(options.baseUrl, limits, log, clock)
  const closed = new AbortController()
  void lookForOutages([outage], clock, AbortSignal.any([signal, closed.signal]))
  const transport = new WatchedTransport({ transport: client, clock, outage, isMember: () => true })
  const close = async (): Promise<void> => {
    closed.abort()
    await client[Symbol.asyncDispose]()
  }
  return Object.assign(transport, { [Symbol.asyncDispose]: close })
}

/** @param limits where two of them end the run, the shorter one counts */
export function serviceOutage(
  baseUrl: string,
  limits: Pick<LimitsConfig, 'retryForMs'> & { readonly stallDeadlineMs?: number },
  log: Log,
  clock: Pick<Clock, 'now'>,
): OutageWatch {
  const { retryForMs, stallDeadlineMs = Infinity } = limits
  const limit =
    stallDeadlineMs < retryForMs
      ? `${span(stallDeadlineMs)} (stall_deadline_seconds)`
      : `${span(retryForMs)} (retry_for_seconds)`
  const patience = `Requests are retried for up to ${limit}.`
  return new OutageWatch({ who: 'The service', place: hostAndPort(baseUrl), patience, clock, log })
}

/** Of the schema registry. */
export function registryOutage(
  url: string,
  { stallDeadlineMs }: { readonly stallDeadlineMs: number },
  log: Log,
  clock: Pick<Clock, 'now'>,
): OutageWatch {
  const patience = `Records that need its schemas wait for up to ${span(stallDeadlineMs)} (stall_deadline_seconds).`
  return new OutageWatch({ who: 'The schema registry', place: hostAndPort(url), patience, clock, log })
}

/** "import.example.com:443": no more of an address. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}

/** Looks at them twice a second, until `signal`. Never throws. */
export async function lookForOutages(
  watches: readonly { look(): void }[],
  clock: Pick<Clock, 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(LOOK_MS, signal)
    if (signal.aborted) return
    for (const watch of watches) watch.look()
  }
}
