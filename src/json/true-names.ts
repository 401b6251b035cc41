// JSON to values, for texts whose names are the users'. V8's JSON.parse takes some names for others
// (decisions.md#names-come-from-the-byte-scanner).

import { decodeString } from './strings.ts'
import { afterSpace, scalarEnd } from './tokens.ts'

const QUOTE = 34
const COLON = 58
const COMMA = 44
const OPEN_ARRAY = 91
const OPEN_OBJECT = 123
const CLOSE_ARRAY = 93
const CLOSE_OBJECT = 125

/** Parses as JSON.parse does: of equal names the last counts, and what is no JSON throws a SyntaxError. But every
 *  name is the one that is written.
 *  @param text lone surrogates only as escapes
 *  @param bytes the same in UTF-8, if it is there already */
export function parseJson(text: string, bytes?: Buffer): unknown {
  const parsed: unknown = JSON.parse(text)
  return text.includes('\\') ? withTrueNames(bytes ?? Buffer.from(text)) : parsed
}

/** Parses as `parseJson` does. `undefined` when it is no JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** @param bytes one JSON text, valid */
function withTrueNames(bytes: Buffer): unknown {
  const root: unknown[] = []
  const open: object[] = [root]
  let name = ''
  const put = (value: unknown): void => {
    const into = open.at(-1)!
    if (Array.isArray(into)) into.push(value)
    // an assignment would make no member of it
    else if (name === '__proto__')
      Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true })
    else (into as Record<string, unknown>)[name] = value
  }
  for (let at = afterSpace(bytes, 0); at < bytes.length; at = afterSpace(bytes, at)) {
    const c = bytes[at]
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      const value = c === OPEN_OBJECT ? {} : []
      put(value)
      open.push(value)
      at++
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      open.pop()
      at++
    } else if (c === COMMA) at++
    else {
      const to = scalarEnd(bytes, at)
      const value =
        c === QUOTE ? decodeString(bytes, at + 1, to - 1) : (JSON.parse(bytes.toString('latin1', at, to)) as unknown)
      const behind = afterSpace(bytes, to)
      const isName = c === QUOTE && bytes[behind] === COLON
      if (isName) name = value as string
      else put(value)
      at = isName ? behind + 1 : to
    }
  }
  return root[0]
}
