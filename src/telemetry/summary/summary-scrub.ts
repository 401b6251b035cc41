// Keeps secrets out of a summary: every text that is not this program's own passes the scrubber.

import { isObject } from '../../json/is-object.ts'

type Scrub = (text: string) => string

/** Scrubs every text anywhere in it. */
export function scrubbed<T>(value: T, scrub: Scrub): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map((member: unknown) => scrubbed(member, scrub)) as T
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, scrubbed(member, scrub)])) as T
}
