// JSON strings: raw bytes to the text they stand for, and values to JSON that stays one line for every reader.

/** Makes the text of the string whose raw bytes, quotes excluded, are bytes[from, to); the scanner must have passed them. Escapes are
 *  resolved. One of a lone surrogate stays a lone surrogate, so that two different strings never become one. */
export function decodeString(bytes: Buffer, from: number, to: number): string {
  let ascii = true
  for (let at = from; at < to; at++) {
    const c = bytes[at]!
    if (c === 92) return resolved(bytes, from, at, to)
    if (c >= 128) ascii = false
  }
  return bytes.toString(ascii ? 'latin1' : 'utf8', from, to)
}

const NAMED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Parts that are joined at once: millions of parts would take several times the memory of their text. */
const TOGETHER = 4096

function resolved(bytes: Buffer, from: number, firstEscape: number, to: number): string {
  const parts: string[] = []
  const joined: string[] = []
  let plain = from
  for (let at = firstEscape; at !== -1 && at < to; at = bytes.indexOf(92, plain)) {
    if (at > plain) parts.push(bytes.toString('utf8', plain, at))
    const letter = String.fromCharCode(bytes[at + 1]!)
    if (letter === 'u') {
      parts.push(String.fromCharCode(Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16)))
      plain = at + 6
    } else {
      parts.push(NAMED[letter] ?? letter)
      plain = at + 2
    }
    if (parts.length >= TOGETHER) joined.push(parts.splice(0).join(''))
  }
  if (plain < to) parts.push(bytes.toString('utf8', plain, to))
  return joined.join('') + parts.join('')
}

/** JSON.stringify leaves these as they are: ends of lines for some readers, controls that a terminal obeys (U+009B begins a sequence),
 *  and marks that turn the writing direction. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** @returns JSON text that is one line to every reader, and that no terminal obeys */
export function singleLine(value: object): string {
  return escapeObeyed(JSON.stringify(value))
}

/** @param json JSON text: what it stands for stays the same */
export function escapeObeyed(json: string): string {
  return json.replace(OBEYED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
