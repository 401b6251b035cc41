// Keeps secrets out of the summary of a run: every text passes the scrubber but digests, whose hex digits may hold a short secret by chance.

import { isObject } from '../../json/is-object.ts'

const DIGEST = /(?:^|_)digest$/

type Scrub = (text: string) => string

/** Scrubs every text in a value, at any depth, except members that are digests. */
export function scrubbed<T>(value: T, scrub: Scrub): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map((member: unknown) => scrubbed(member, scrub)) as T
  if (!isObject(value)) return value
  const clean = (name: string, member: unknown): unknown => (DIGEST.test(name) ? member : scrubbed(member, scrub))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, clean(name, member)])) as T
}
