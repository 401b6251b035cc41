// Phrases about what a run waits for, the same in the log, on a terminal and at /readyz. `now` is the present time by the facts' clock.

import type { EndingFacts } from '../core/tally.ts'
import { counted, secondsText } from '../text/figures.ts'
import type { DeliveryFacts, GroupFacts, HeldReason, RunFacts, ServiceFacts, TokenFacts } from '../run/run-facts.ts'

/** Returns what the run waits for, the most important first; not that partitions are held, which is normal or follows from something here. */
export function troubles({ group, delivery }: RunFacts, now: number): string[] {
  if (group === undefined) return deliveryWaits(delivery, now)
  return [
    ...(group.joined ? [] : [`joining the group for ${secondsText(now - group.since)}`]),
    ...(group.tokens ?? []).flatMap((token) => tokenWait(token, now) ?? []),
    ...brokersDown(group, now),
    ...deliveryWaits(delivery, now),
    ...schemaWait(group, now),
  ]
}

/** Reasons why partitions are held (not fetched), the most important first. Those that wait for schemas are in `schemaWait`. */
const HELD: readonly (readonly [reason: HeldReason, words: string])[] = [
  ['outage', 'held until the service answers'],
  ['rebalance', 'held for a rebalance of the group'],
  ['buffer', 'held, the buffer is full (buffer_bytes)'],
  ['budget', 'held, the memory for what is fetched ahead is full'],
  ['fetched_ahead', 'held, enough is fetched ahead'],
]

/** Returns how many partitions are held for which reason. Empty when the run is stopping, as it fetches nothing then. */
export function heldWords({ group, stopping }: Pick<RunFacts, 'group' | 'stopping'>): string[] {
  const partitions = (!stopping && group?.partitions) || []
  return HELD.flatMap(([reason, words]) => {
    const count = partitions.filter(({ held }) => held === reason).length
    return count > 0 ? [`${counted(count, 'partition')} ${words}`] : []
  })
}

/** Says that a token cannot be renewed. `undefined` when it can, as far as is known. */
export function tokenWait({ place, expiresAt, failingSince, cause }: TokenFacts, now: number): string | undefined {
  if (failingSince === undefined) return undefined
  const left = expiresAt === undefined || expiresAt <= now ? 'none is left' : `${secondsText(expiresAt - now)} left`
  return `no new token from ${place} for ${secondsText(now - failingSince)}, ${left}${because(cause)}`
}

/** Most brokers in a line, which must not grow without bound. */
const MAX_BROKERS = 3

function brokersDown({ brokersDown = [] }: GroupFacts, now: number): string[] {
  const named = brokersDown.slice(0, MAX_BROKERS).map(({ place, since, cause }) => {
    return `the Kafka broker ${place} has been down for ${secondsText(now - since)}${because(cause)}`
  })
  const more = brokersDown.length - named.length
  return more === 0 ? named : [...named, `${counted(more, 'other Kafka broker')} down`]
}

/** Returns a phrase if partitions wait for schemas. A wait of less than a second is normal, and not told. */
function schemaWait({ partitions, schemasSince, schemasCause }: GroupFacts, now: number): string[] {
  if (schemasSince === undefined || now - schemasSince < 1000) return []
  const awaiting = partitions.filter(({ held }) => held === 'schemas').length
  return [
    `${counted(awaiting, 'partition')} waiting for the schema registry for ${secondsText(now - schemasSince)}${because(schemasCause)}`,
  ]
}

/** Returns what delivery alone waits for, the most important first. */
export function deliveryWaits(delivery: DeliveryFacts, now: number): string[] {
  const { inFlight, retrying, guarded, ending } = delivery
  const paused = servicePause(delivery, now)
  const rejecting = ending?.rejecting ?? 0
  return [
    ...(paused === undefined ? [] : [paused]),
    ...(retrying > 0
      ? [`${counted(retrying, 'batch', 'batches')} to be sent again${later(ending?.retryAt, now, ', the next in ')}`]
      : []),
    ...(guarded > 0 ? [guardWords(guarded, ending, now)] : []),
    ...(rejecting > 0 ? [`${counted(rejecting, 'rejected record')} not kept yet`] : []),
    ...(ending?.stopsAt === undefined || inFlight === 0
      ? []
      : [`requests in flight have another ${secondsText(ending.stopsAt - now)}`]),
  ]
}

function guardWords(batches: number, ending: EndingFacts | undefined, now: number): string {
  const until = later(ending?.guardedUntil, now, ' for another ')
  const keys =
    ending === undefined ? `keys of ${counted(batches, 'batch', 'batches')}` : counted(ending.guardedKeys, 'key')
  return `${keys} held by the late-write guard${until}${until === '' ? '' : ' at most'} (nothing to do)`
}

/** Says how long it is until a time, behind some words. Empty when that is less than a second, or the time is not known. */
function later(at: number | undefined, now: number, wordsBefore: string): string {
  return at === undefined || at - now < 1000 ? '' : `${wordsBefore}${secondsText(at - now)}`
}

/** Says why nothing is delivered: the service asked for a pause, or fails every attempt. `undefined` when neither, or nothing is to be sent. */
export function servicePause(delivery: DeliveryFacts, now: number): string | undefined {
  const { outstanding, pausedUntil = now } = delivery
  const asked = pausedUntil > now ? [`asked for a pause of another ${secondsText(pausedUntil - now)}`] : []
  const words = [...failureWords(delivery, now), ...asked]
  return outstanding === 0 || words.length === 0 ? undefined : `the service ${words.join(' and ')}`
}

/** Returns a phrase if every attempt fails. A service that throttles is not called down. */
function failureWords({ failingSince, failingCause, throttledSince }: ServiceFacts, now: number): string[] {
  if (throttledSince !== undefined)
    return [`has throttled every request (429) for ${secondsText(now - throttledSince)}`]
  return failingSince === undefined
    ? []
    : [`has been down for ${secondsText(now - failingSince)}${because(failingCause)}`]
}

function because(cause: string | undefined): string {
  return cause === undefined ? '' : ` (${cause})`
}
