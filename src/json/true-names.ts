// JSON to values, for texts whose member names come from users. V8's JSON.parse may give a member another name than the text has when a
// name is written with an escape (decisions.md#names-come-from-the-byte-scanner).

import { decodeString } from './strings.ts'
import { afterSpace, scalarEnd } from './tokens.ts'

const QUOTE = 34
const COLON = 58
const COMMA = 44
const OPEN_ARRAY = 91
const OPEN_OBJECT = 123
const CLOSE_ARRAY = 93
const CLOSE_OBJECT = 125

/** Parses as JSON.parse does (of equal names the last counts, and no JSON throws a SyntaxError), but every name is the one in the text.
 *  @param text without lone surrogates, except as escapes
 *  @param bytes the text in UTF-8, when the caller has it already */
export function parseJson(text: string, bytes?: Buffer): unknown {
  const parsed: unknown = JSON.parse(text)
  return text.includes('\\') ? withTrueNames(bytes ?? Buffer.from(text)) : parsed
}

/** Parses as `parseJson` does. `undefined` when the text is no JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Builds the value of a text that is known to be valid, token by token. */
function withTrueNames(bytes: Buffer): unknown {
  // a list around the text: its value becomes the one item
  const root: unknown[] = []
  const openContainers: object[] = [root]
  let nextName = ''
  const add = (value: unknown): void => {
    const container = openContainers.at(-1)!
    if (Array.isArray(container)) container.push(value)
    // an assignment to __proto__ would make no member
    else if (nextName === '__proto__')
      Object.defineProperty(container, nextName, { value, writable: true, enumerable: true, configurable: true })
    else (container as Record<string, unknown>)[nextName] = value
  }
  for (let at = afterSpace(bytes, 0); at < bytes.length; at = afterSpace(bytes, at)) {
    const c = bytes[at]
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      const value = c === OPEN_OBJECT ? {} : []
      add(value)
      openContainers.push(value)
      at++
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      openContainers.pop()
      at++
    } else if (c === COMMA) at++
    else {
      const to = scalarEnd(bytes, at)
      const value =
        c === QUOTE ? decodeString(bytes, at + 1, to - 1) : (JSON.parse(bytes.toString('latin1', at, to)) as unknown)
      const behind = afterSpace(bytes, to)
      const isName = c === QUOTE && bytes[behind] === COLON
      if (isName) nextName = value as string
      else add(value)
      at = isName ? behind + 1 : to
    }
  }
  return root[0]
}
