// The option `start`: `earliest`, `latest`, or a time.

import { orMeant } from '../../text/nearest-name.ts'
import { shownWord } from '../error-map.ts'

/** The place where a partition without a committed offset begins. `timestamp`: milliseconds since 1970. */
export type Start = 'earliest' | 'latest' | { readonly timestamp: bigint }

const EXAMPLE = '2026-01-31T00:00:00Z'
const NO_START = `must be earliest, latest, a time with its zone such as ${EXAMPLE}, or milliseconds since 1970`
const TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?<zone>[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/
/** The least number that is taken for milliseconds, 2001-09-09: a smaller one is probably seconds or a year. */
const LEAST_MS = 1_000_000_000_000
/** The greatest, the end of 9999-12-31. */
const MOST_MS = 253_402_300_799_999

/** Reads `earliest`, `latest`, a time with its zone, or milliseconds since 1970, as number or text. */
export function readStart(given: string | number): { readonly start: Start } | { readonly problem: string } {
  if (given === 'earliest' || given === 'latest') return { start: given }
  if (typeof given === 'number' || /^-?\d+$/.test(given)) return milliseconds(Number(given))
  const parts = TIME.exec(given)
  if (parts === null)
    return { problem: `${NO_START}, found ${shownWord(given)}${orMeant(given, ['earliest', 'latest'])}` }
  if (parts.groups?.['zone'] === undefined)
    return { problem: `has no time zone: write Z or an offset behind it, as in ${EXAMPLE}` }
  const timestamp = instant(parts)
  if (timestamp === undefined) return { problem: 'is not a valid time, or lies before 1970' }
  return { start: { timestamp: BigInt(timestamp) } }
}

/** Reads a number of milliseconds since 1970. */
function milliseconds(given: number): ReturnType<typeof readStart> {
  if (Number.isInteger(given) && given >= LEAST_MS && given <= MOST_MS) return { start: { timestamp: BigInt(given) } }
  return {
    problem: `as a number must be milliseconds since 1970, from ${LEAST_MS} to ${MOST_MS} (is this one seconds or a year?); write an earlier time as text such as 1999-12-31T00:00:00Z`,
  }
}

/** Milliseconds since 1970 of a time with a zone that TIME matched. `undefined` when that day or time does not exist or is before 1970. */
function instant(parts: RegExpExecArray): number | undefined {
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = parts
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const local = Date.parse(`${written}Z`)
  // Date.parse turns 31 April into 1 May
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(written)) return undefined
  const offset = zone!.toUpperCase().replace(/(\d\d):?(\d\d)/, '$1:$2')
  const time = Date.parse(`${written}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`)
  return Number(year) < 1970 || time < 0 ? undefined : time
}
