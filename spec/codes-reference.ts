// The tables of docs/codes.md, and the list that may only grow.

import { CODES, EVENTS } from '../src/core/codes.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

/** docs/codes.md with its tables renewed. */
export function renewedCodes(page: string): string {
  const codes = Object.entries(CODES).map(([code, means]) => {
    return [`\`${code}\``, means, `[what to do](troubleshooting.md#${code})`]
  })
  const events = Object.entries(EVENTS).map(([event, says]) => [`\`${event}\``, says])
  const withCodes = renewedBetween(page, marksOf('codes'), markdownTable(['code', 'what it means', ''], codes))
  return renewedBetween(withCodes, marksOf('events'), markdownTable(['event', 'what the line says'], events))
}

/** Codes and events by age. New ones are at the end, none is ever taken out.
 *  @param known spec/golden/codes.txt as it is */
export function grownCodes(known: string): string {
  const old = known.split('\n').filter((name) => name !== '')
  const fresh = [...Object.keys(CODES), ...Object.keys(EVENTS)].filter((name) => !old.includes(name))
  return `${[...old, ...fresh].join('\n')}\n`
}
