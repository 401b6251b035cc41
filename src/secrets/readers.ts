// Reads a text sign by sign, with an encoding taken off: `\u0041` in JSON is one sign. The reader of an encoding is given that of the one
// around it, so JSON in JSON is `json(json(literal))`. Texts have one character a byte (latin1), because what a process prints is bytes.

/** A sign that a reader has found. */
interface Sign {
  /** A code point; while encodings are still taken off, a byte or a UTF-16 unit. */
  readonly code: number
  /** The place in the text behind it. */
  readonly end: number
}

/** Reads the sign at a place of a text. @returns `undefined` when the text ends before the sign does */
type Read = (text: string, at: number) => Sign | undefined

const codeOf = (character: string): number => character.charCodeAt(0)
const PERCENT = codeOf('%')
const BACKSLASH = codeOf('\\')
const PLUS = codeOf('+')
const SPACE = codeOf(' ')
const LETTER_U = codeOf('u')
/** The code of a sign that no secret has, as it is beyond all code points: for what is not valid in an encoding. */
const NONE = 0x110000
/** Letters of JSON's escapes, with what `\n` and the like stand for. All white space is passed over, so any may be read as a space. */
const JSON_ESCAPES = new Map(Array.from('nrtf', (letter) => [codeOf(letter), SPACE])).set(codeOf('b'), codeOf('\b'))

const bytes: Read = (text, at) => (at < text.length ? { code: text.charCodeAt(at), end: at + 1 } : undefined)

/** Reads bytes as code points, also with white space between the bytes of one. A byte that is not UTF-8 stays one sign.
 *  The first byte of several is 0xc2 to 0xf4; each of the others begins with the bits 10, and has 6 of the code point's. */
function utf8(read: Read): Read {
  return (text, at) => {
    const first = read(text, at)
    if (first === undefined || first.code < 0xc2 || first.code > 0xf4) return first
    const following = bytesBehind(first.code)
    let { code, end } = { code: first.code & (0x3f >> following), end: first.end }
    for (let count = 0; count < following;) {
      const next = read(text, end)
      if (next === undefined) return undefined
      end = next.end
      if (isPassedOver(next.code)) continue
      if (next.code >> 6 !== 2) return first
      code = (code << 6) | (next.code & 0x3f)
      count++
    }
    return { code, end }
  }
}

/** How many bytes follow the first one of a code point. */
function bytesBehind(first: number): number {
  if (first < 0xe0) return 1
  return first < 0xf0 ? 2 : 3
}

const HEX_DIGITS = new Map(Array.from('0123456789abcdefABCDEF', (digit) => [codeOf(digit), parseInt(digit, 16)]))

/** Reads `count` hexadecimal digits as one sign, NONE if one of them is something else. */
function hexadecimal(read: Read, text: string, at: number, count: number): Sign | undefined {
  let [code, end] = [0, at]
  for (let digits = 0; digits < count; digits++) {
    const sign = read(text, end)
    if (sign === undefined) return undefined
    const digit = HEX_DIGITS.get(sign.code)
    if (digit === undefined) return { code: NONE, end }
    code = code * 16 + digit
    end = sign.end
  }
  return { code, end }
}

function percent(read: Read): Read {
  return (text, at) => {
    const first = read(text, at)
    if (first?.code !== PERCENT) return first
    const byte = hexadecimal(read, text, first.end, 2)
    return byte?.code === NONE ? first : byte
  }
}

const plusIsSpace: Read = (text, at) => {
  const sign = bytes(text, at)
  return sign?.code === PLUS ? { ...sign, code: SPACE } : sign
}

function json(read: Read): Read {
  return (text, at) => {
    const first = read(text, at)
    if (first?.code !== BACKSLASH) return first
    const letter = read(text, first.end)
    if (letter?.code === LETTER_U) return hexadecimal(read, text, letter.end, 4)
    return letter && { code: JSON_ESCAPES.get(letter.code) ?? letter.code, end: letter.end }
  }
}

/** Reads UTF-16 units as code points: a high surrogate begins with the bits 0x36, a low one with 0x37. */
function paired(read: Read): Read {
  return (text, at) => {
    const high = read(text, at)
    if (high === undefined || high.code >> 10 !== 0x36) return high
    const low = read(text, high.end)
    if (low === undefined) return undefined
    if (low.code >> 10 !== 0x37) return high
    return { code: 0x10000 + ((high.code & 0x3ff) << 10) + (low.code & 0x3ff), end: low.end }
  }
}

const ENTITY = /&(?:#x0{0,8}([\da-f]{1,6})|#0{0,8}(\d{1,7})|(amp|lt|gt|quot|apos));/iy
/** The beginning of an entity at the end of a text, which more text may complete. */
const ENTITY_BEGUN = /&#?[\da-z]{0,16}$/iy
const NAMED_ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const literal = utf8(bytes)

const html: Read = (text, at) => {
  const match = matchAt(ENTITY, text, at)
  if (!match) return matchAt(ENTITY_BEGUN, text, at) ? undefined : literal(text, at)
  const [all, hex, decimal, name] = match
  const code = name ? NAMED_ENTITIES[name.toLowerCase()]! : parseInt(hex ?? decimal!, hex ? 16 : 10)
  return { code, end: at + all.length }
}

const DUMPED_BYTE = /(?:0?x)?([\da-f]{2})/iy
/** The beginning of such a byte at the end of a text. */
const DUMPED_BEGUN = /(?:0?x)?[\da-f]?$/iy

/** Reads a hex dump: two digits, perhaps behind `0x` or `\x`, are a byte; a separator is read as a space; any other letter is not valid. */
const dumped: Read = (text, at) => {
  const digits = matchAt(DUMPED_BYTE, text, at)
  if (digits) return { code: parseInt(digits[1]!, 16), end: at + digits[0].length }
  if (matchAt(DUMPED_BEGUN, text, at)) return undefined
  return { code: /[\da-z]/i.test(text[at]!) ? NONE : SPACE, end: at + 1 }
}

/** A way in which a secret may be written. */
export interface Encoding {
  readonly read: Read
  /** Whether a byte, by its number, always stands for itself, so that `read` need not be called for it. Bytes that it lacks may not. */
  readonly plain: readonly boolean[]
  /** Returns every character that an encoded secret may begin with, given the secret's first byte as a character. */
  readonly begins: (firstByte: string) => string
}

/** Makes an encoding. @param special characters that may begin an escape or stand for another character */
function encoding(read: Read, special: string): Encoding {
  const plain = Array.from({ length: 128 }, (_, byte) => !special.includes(String.fromCharCode(byte)))
  return { read, plain, begins: (firstByte) => special + firstByte }
}

/** The encodings of docs/guarantees.md#secrets but base64: as it is; in JSON, once or twice; percent-encoded, once or twice; in a form; in
 *  HTML; and in a hex dump. */
export const ENCODINGS: readonly Encoding[] = [
  encoding(literal, ''),
  encoding(paired(json(literal)), '\\'),
  encoding(paired(json(json(literal))), '\\'),
  encoding(utf8(percent(bytes)), '%'),
  encoding(utf8(percent(percent(bytes))), '%'),
  encoding(utf8(percent(plusIsSpace)), '%+'),
  encoding(html, '&'),
  { read: utf8(dumped), plain: [], begins: firstHexDigits },
]

function firstHexDigits(byte: string): string {
  const digit = Math.floor(codeOf(byte) / 16).toString(16)
  return digit + digit.toUpperCase()
}

/** Characters of base64url, with those that base64 has instead. */
const URL_ALPHABET = new Map([
  [codeOf('-'), codeOf('+')],
  [codeOf('_'), codeOf('/')],
])

/** Base64 and base64url, read as base64. */
export const BASE64 = encoding((text, at) => {
  const sign = bytes(text, at)
  return sign && { code: URL_ALPHABET.get(sign.code) ?? sign.code, end: sign.end }
}, '-_')

/** Whether a sign may stand anywhere within a secret without being part of it: white space, and what has no width. */
export function isPassedOver(code: number): boolean {
  if (code > 0x20 && code < 0xa0) return false
  return code !== NONE && /^[\s\p{Default_Ignorable_Code_Point}]$/u.test(String.fromCodePoint(code))
}
