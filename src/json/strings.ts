// JSON strings: raw bytes to the text they stand for, and values to JSON that is one line for every reader.

import { BACKSLASH } from './bytes.ts'

/** Makes the text of a JSON string, escapes resolved. An escaped lone surrogate becomes one, so that different strings stay different.
 *  @param from, to where the inside of its quotes begins and ends; the scanner must have found it valid */
export function decodeString(bytes: Buffer, from: number, to: number): string {
  let ascii = true
  for (let at = from; at < to; at++) {
    const c = bytes[at]!
    if (c === BACKSLASH) return withEscapesResolved(bytes, from, at, to)
    if (c >= 128) ascii = false
  }
  return bytes.toString(ascii ? 'latin1' : 'utf8', from, to)
}

/** Characters by the letter of their escape. The others (\" \\ \/) stand for themselves. */
const BY_LETTER: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Parts of a text that are kept before they are joined: millions of parts would take several times the memory of the text. */
const MOST_PARTS = 4096

function withEscapesResolved(bytes: Buffer, from: number, firstEscape: number, to: number): string {
  const parts: string[] = []
  const joined: string[] = []
  let restFrom = from
  for (let at = firstEscape; at !== -1 && at < to; at = bytes.indexOf(BACKSLASH, restFrom)) {
    if (at > restFrom) parts.push(bytes.toString('utf8', restFrom, at))
    const letter = String.fromCharCode(bytes[at + 1]!)
    if (letter === 'u') {
      parts.push(String.fromCharCode(Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16)))
      restFrom = at + 6
    } else {
      parts.push(BY_LETTER[letter] ?? letter)
      restFrom = at + 2
    }
    if (parts.length >= MOST_PARTS) joined.push(parts.splice(0).join(''))
  }
  if (restFrom < to) parts.push(bytes.toString('utf8', restFrom, to))
  return joined.join('') + parts.join('')
}

/** Characters that readers and terminals act on, and that JSON.stringify leaves as they are: ends of lines for some readers, controls
 *  (U+009B begins a sequence of a terminal), and marks that turn the writing direction. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The JSON text of a value: one line to every reader, with nothing in it that a terminal acts on. */
export function singleLine(value: object): string {
  return escapeObeyed(JSON.stringify(value))
}

/** Escapes the OBEYED characters of a JSON text. The value that it stands for stays the same. */
export function escapeObeyed(json: string): string {
  return json.replace(OBEYED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
