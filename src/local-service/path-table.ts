// Looks up paths in tables of patterns such as `/faults/{n}`: which of them fit, and what values the parameters in braces have.

/** Values of a path's parameters, percent-decoded. `undefined` for one whose percent-encoding is malformed. */
export type PathParameters = Readonly<Record<string, string | undefined>>

type PathRow = readonly [method: string, pattern: string, ...unknown[]]

/** The values that these parameters take; others take any. */
const ADMITTED: Readonly<Record<string, RegExp>> = { '{n}': /^[1-9]\d{0,14}$/, '{number}': /^\d+$/ }

/** Makes a route of each row whose pattern the segments of a path fit, and gives these by their methods. `undefined` when there is none. */
export function methodsAt<P extends PathRow, R>(
  table: readonly P[],
  segments: readonly string[],
  routeOf: (row: P, parameters: PathParameters) => R,
): Readonly<Record<string, R>> | undefined {
  const routes: Record<string, R> = {}
  for (const row of table) {
    const [method, pattern] = row
    const parameters = parametersIn(pattern, segments)
    if (parameters !== undefined) routes[method] = routeOf(row, parameters)
  }
  return Object.keys(routes).length === 0 ? undefined : routes
}

/** The parameters in the segments of a path. `undefined` when it does not fit the pattern: no parameter may be empty. */
export function parametersIn(pattern: string, segments: readonly string[]): PathParameters | undefined {
  const parts = pattern.split('/').slice(1)
  if (parts.length !== segments.length) return undefined
  const parameters: Record<string, string | undefined> = {}
  for (const [index, part] of parts.entries()) {
    const segment = segments[index]!
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined
      continue
    }
    if (segment === '' || ADMITTED[part]?.test(segment) === false) return undefined
    parameters[part.slice(1, -1)] = percentDecoded(segment)
  }
  return parameters
}

/** Decodes percent-encoding. `undefined` when `text` is not valid percent-encoding of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
