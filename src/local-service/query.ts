// Reads one parameter of a query string. Knows no parameter by name.

/** A value in both readings of `+`: form decoding takes it as a space, URI decoding literally. Undefined in
 *  `readings`: the value is no valid percent-encoding of UTF-8. */
export interface QueryValue {
  readonly readings: readonly string[]
}

/** The first `name` in `query` (without `?`); undefined: absent. A parameter without `=` has the value "". */
export function queryValue(query: string, name: string): QueryValue | undefined {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    if (percentDecoded(rawName) !== name) continue
    const raw = equals === -1 ? '' : pair.slice(equals + 1)
    const literal = percentDecoded(raw)
    if (literal === undefined) return { readings: [] }
    return { readings: raw.includes('+') ? [literal, percentDecoded(raw.replaceAll('+', ' '))!] : [literal] }
  }
  return undefined
}

/** Undefined when `text` is no valid percent-encoding of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
