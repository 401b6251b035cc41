// Tables of paths such as `/faults/{n}`: which of them a request line names, and what stands in its places.

import { percentDecoded } from './read-request.ts'

/** What stands in each place, percent-decoded; undefined when malformed. */
export type Places = Readonly<Record<string, string | undefined>>

type Path = readonly [method: string, path: string, ...unknown[]]

/** The paths of the table that these segments fit, by their methods. Undefined: none does. */
export function methodsAt<P extends Path, R>(
  table: readonly P[],
  segments: readonly string[],
  routeOf: (path: P, places: Places) => R,
): Readonly<Record<string, R>> | undefined {
  const found: Record<string, R> = {}
  for (const path of table) {
    const places = placesIn(path[1], segments)
    if (places !== undefined) found[path[0]] = routeOf(path, places)
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** Undefined: `path` is another one. A place is never empty; `{n}` is a number from 1, `{number}` digits. */
export function placesIn(path: string, segments: readonly string[]): Places | undefined {
  const wanted = path.split('/').slice(1)
  if (wanted.length !== segments.length) return undefined
  const places: Record<string, string | undefined> = {}
  for (const [index, want] of wanted.entries()) {
    const segment = segments[index]!
    if (!want.startsWith('{')) {
      if (want !== segment) return undefined
      continue
    }
    if (segment === '' || PLACES[want]?.test(segment) === false) return undefined
    places[want.slice(1, -1)] = percentDecoded(segment)
  }
  return places
}

const PLACES: Readonly<Record<string, RegExp>> = { '{n}': /^[1-9]\d{0,14}$/, '{number}': /^\d+$/ }
