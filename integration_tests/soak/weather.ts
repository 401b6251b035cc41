// Faults of the weather: bursts of them are posted to the service while it runs, and now and then it is fair for a while.

import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import type { Figures } from './figures.ts'
import type { ServiceProcess } from './service-process.ts'

/** An answer is held back so long at most: longer than requests wait, shorter than the late-write guard. */
export const LATEST_MS = 900

const PAGE = '<html><body>Bad gateway</body></html>'
const answer = (status: number, more: object = {}): object => ({ answer: { status, ...more } })

/** Much more often what costs a request than what stops them all. */
function faultOf(random: Random): object {
  const kind = random.pick({ server: 6, gateway: 3, reset: 6, slow: 6, late: 3, throttled: 0.3, told: 0.5 })
  switch (kind) {
    case 'server':
      return { ...answer(oneOf(random, [500, 500, 501, 507, 408])), ...maybeSlow(random) }
    case 'gateway':
      return answer(oneOf(random, [502, 504]), oneOf(random, [{}, { body: PAGE }, { body: '' }]))
    case 'reset':
      return { reset: oneOf(random, ['before', 'after']), ...maybeSlow(random) }
    case 'slow':
      return { delay_ms: random.below(150) }
    case 'late':
      return { delay_ms: 500 + random.below(LATEST_MS - 500) }
    case 'throttled':
      return answer(oneOf(random, [429, 503]))
    case 'told':
      return answer(oneOf(random, [429, 503]), { headers: { 'retry-after': oneOf(random, ['0', '0', '1']) } })
    default:
      return kind satisfies never
  }
}

function maybeSlow(random: Random): object {
  return random.below(3) === 0 ? { delay_ms: random.below(60) } : {}
}

/** Between bursts. */
const CALM_MS = 150
/** Bursts until those that still wait are taken back. */
const BURSTS = 8
/** Of a burst. */
const MOST = 6

/** Until the signal: bursts of faults, for one upsert each. What no request has come for is taken back now and then, and
 *  bursts are smaller after that: so faults hit, and do not pile up until nothing gets through. */
export async function makeWeather(
  service: ServiceProcess,
  random: Random,
  figures: Figures,
  signal: AbortSignal,
): Promise<void> {
  for (let most = 1; !signal.aborted;) {
    for (let bursts = 0; bursts < BURSTS && !signal.aborted; bursts++) {
      for (let burst = 1 + random.below(most); burst > 0; burst--) {
        await service.ask('POST', '/_local/faults', { ...faultOf(random), next: 1 })
        figures.scheduled++
      }
      await pause(CALM_MS * (random.below(20) === 0 ? 5 : 0.5 + random.next()), signal)
    }
    const unmet = await clear(service)
    figures.unmet += unmet
    most = unmet > 2 * most ? Math.ceil(most / 2) : Math.min(MOST, most + 1)
  }
}

/** Until the signal: the service is killed, and comes back. */
export async function restartNowAndThen(
  service: ServiceProcess,
  random: Random,
  figures: Figures,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(everyMs * (0.5 + random.next()), signal)
    if (signal.aborted) return
    figures.unmet += await service.restart(random.below(4) === 0 ? 'SIGTERM' : 'SIGKILL', random.below(1_000))
    figures.restarts++
  }
}

/** @returns how many were waiting */
async function clear(service: ServiceProcess): Promise<number> {
  const answer = await service.ask('DELETE', '/_local/faults')
  return (JSON.parse(answer!) as { cleared: number }).cleared
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
