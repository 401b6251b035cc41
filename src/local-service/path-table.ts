// Tables of paths such as `/faults/{n}`: which of them a request line names, and the values of its parameters.

/** Values of a path's parameters, percent-decoded. `undefined` for one whose percent-encoding is malformed. */
export type PathParameters = Readonly<Record<string, string | undefined>>

type Path = readonly [method: string, path: string, ...unknown[]]

/** The paths of the table that these segments fit, by their methods. `undefined` when none does. */
export function methodsAt<P extends Path, R>(
  table: readonly P[],
  segments: readonly string[],
  routeOf: (path: P, parameters: PathParameters) => R,
): Readonly<Record<string, R>> | undefined {
  const found: Record<string, R> = {}
  for (const path of table) {
    const parameters = parametersIn(path[1], segments)
    if (parameters !== undefined) found[path[0]] = routeOf(path, parameters)
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** Parameters in the segments of a path. `undefined` when `path` is another one. A parameter is never empty; `{n}` is
 *  a number from 1, `{number}` digits. */
export function parametersIn(path: string, segments: readonly string[]): PathParameters | undefined {
  const wanted = path.split('/').slice(1)
  if (wanted.length !== segments.length) return undefined
  const parameters: Record<string, string | undefined> = {}
  for (const [index, want] of wanted.entries()) {
    const segment = segments[index]!
    if (!want.startsWith('{')) {
      if (want !== segment) return undefined
      continue
    }
    if (segment === '' || PATTERNS[want]?.test(segment) === false) return undefined
    parameters[want.slice(1, -1)] = percentDecoded(segment)
  }
  return parameters
}

const PATTERNS: Readonly<Record<string, RegExp>> = { '{n}': /^[1-9]\d{0,14}$/, '{number}': /^\d+$/ }

/** Decodes percent-encoding. `undefined` when `text` is not valid percent-encoding of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
