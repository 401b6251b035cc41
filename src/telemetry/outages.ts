// The servers a run depends on, and whether they have stopped answering: how that is watched, and for how long each is tried.

import type { LimitsConfig } from '../config/write/write-load.ts'
import type { Clock } from '../core/types.ts'
import { OutageWatch, type OutageParts } from './outage-watch.ts'
import { span } from '../text/figures.ts'

const LOOK_MS = 500

/** Watches the service.
 *  @param limits where two of them end the run, the shorter one counts */
export function serviceOutage(
  baseUrl: string,
  limits: Pick<LimitsConfig, 'retryForMs'> & { readonly stallDeadlineMs?: number | undefined },
  parts: Pick<OutageParts, 'log' | 'clock' | 'outages'>,
): OutageWatch {
  const { retryForMs, stallDeadlineMs = Infinity } = limits
  const limit =
    stallDeadlineMs < retryForMs
      ? `${span(stallDeadlineMs)} (stall_deadline_seconds)`
      : `${span(retryForMs)} (retry_for_seconds)`
  const patience = `Requests are retried for up to ${limit}.`
  return new OutageWatch({ who: 'The service', place: hostAndPort(baseUrl), patience, ...parts })
}

/** Watches the schema registry. */
export function registryOutage(
  url: string,
  { stallDeadlineMs }: { readonly stallDeadlineMs: number },
  parts: Pick<OutageParts, 'log' | 'clock' | 'outages'>,
): OutageWatch {
  const patience = `Records that need its schemas wait for up to ${span(stallDeadlineMs)} (stall_deadline_seconds).`
  return new OutageWatch({ who: 'The schema registry', place: hostAndPort(url), patience, ...parts })
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
