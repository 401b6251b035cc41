// Reads a text sign by sign, with an encoding taken off. Readers are put together: JSON in JSON is `json(json(literal))`. Texts
// have one character a byte (latin1), because what a process prints is bytes.

/** The sign at a place of a text. */
interface Sign {
  /** A byte, a UTF-16 unit or a code point. */
  readonly code: number
  /** The place where it ends. */
  readonly end: number
}

/** @returns `undefined` when the text ends before the sign does */
type Read = (text: string, at: number) => Sign | undefined

const code = (sign: string): number => sign.charCodeAt(0)
const PERCENT = code('%')
const BACKSLASH = code('\\')
const PLUS = code('+')
const SPACE = code(' ')
/** The code of a sign that is in no secret: beyond all code points. */
const NONE = 0x110000
const U = code('u')
/** Escaped letters that stand for white space, which is passed over, so they are one. */
const ESCAPED = new Map(Array.from('nrtf', (letter) => [code(letter), SPACE])).set(code('b'), code('\b'))

const URL_ALPHABET = new Map([
  [code('-'), code('+')],
  [code('_'), code('/')],
])

const bytes: Read = (text, at) => (at < text.length ? { code: text.charCodeAt(at), end: at + 1 } : undefined)

/** Reads bytes as code points. A byte that is not UTF-8 stays one sign. */
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

const HEX_DIGITS = new Map(Array.from('0123456789abcdefABCDEF', (digit) => [code(digit), parseInt(digit, 16)]))

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
    if (letter?.code === U) return hexadecimal(read, text, letter.end, 4)
    return letter && { code: ESCAPED.get(letter.code) ?? letter.code, end: letter.end }
  }
}

/** Reads UTF-16 units as code points: a high surrogate begins with the bits 0x36, a low one with 0x37. */
function paired(read: Read): Read {
  return (text, at) => {
    const high = read(text, at)
    if (high === undefined || high.code >> 10 !== 0x36) return high
    const low = read(text, high.end)
    if (low === undefined || low.code >> 10 !== 0x37) return low && high
    return { code: 0x10000 + ((high.code & 0x3ff) << 10) + (low.code & 0x3ff), end: low.end }
  }
}

const ENTITY = /&(?:#x0{0,8}([\da-f]{1,6})|#0{0,8}(\d{1,7})|(amp|lt|gt|quot|apos));/iy
const ENTITY_BEGUN = /&#?[\da-z]{0,16}$/iy
const NAMES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const literal = utf8(bytes)

const html: Read = (text, at) => {
  const match = matchAt(ENTITY, text, at)
  if (!match) return matchAt(ENTITY_BEGUN, text, at) ? undefined : literal(text, at)
  const [all, hex, decimal, name] = match
  const code = name ? NAMES[name.toLowerCase()]! : parseInt(hex ?? decimal!, hex ? 16 : 10)
  return { code, end: at + all.length }
}

const DUMPED = /(?:0?x)?([\da-f]{2})/iy
const DUMPED_BEGUN = /(?:0?x)?[\da-f]?$/iy

/** Reads two hexadecimal digits, perhaps with `0x` or `\x` before them, as a byte. Any other sign is a separator, read as a space. */
const dumped: Read = (text, at) => {
  const digits = matchAt(DUMPED, text, at)
  if (digits) return { code: parseInt(digits[1]!, 16), end: at + digits[0].length }
  if (matchAt(DUMPED_BEGUN, text, at)) return undefined
  return { code: /[\da-z]/i.test(text[at]!) ? NONE : SPACE, end: at + 1 }
}

/** How a secret may be encoded. */
export interface Encoding {
  readonly read: Read
  /** The bytes that stand for themselves, whatever follows: they need not be read. */
  readonly plain: readonly boolean[]
  /** Every character that an encoded secret may begin with, by the secret's first byte. */
  readonly begins: (first: string) => string
}

/** @param special signs that may not stand for themselves */
function encoding(read: Read, special: string, begins = (first: string): string => special + first): Encoding {
  return { read, begins, plain: Array.from({ length: 128 }, (_, byte) => !special.includes(String.fromCharCode(byte))) }
}

export const ENCODINGS: readonly Encoding[] = [
  encoding(literal, ''),
  encoding(paired(json(literal)), '\\'),
  encoding(paired(json(json(literal))), '\\'),
  encoding(utf8(percent(bytes)), '%'),
  encoding(utf8(percent(percent(bytes))), '%'),
  encoding(utf8(percent(plusIsSpace)), '%+'),
  encoding(html, '&'),
  { read: utf8(dumped), plain: [], begins: inHex },
]

function inHex(first: string): string {
  const digit = Math.floor(code(first) / 16).toString(16)
  return digit + digit.toUpperCase()
}

/** Base64 in either alphabet. */
export const BASE64 = encoding((text, at) => {
  const sign = bytes(text, at)
  return sign && { code: URL_ALPHABET.get(sign.code) ?? sign.code, end: sign.end }
}, '-_')

/** Whether a sign within a secret is passed over: white space, and what has no width. */
export function isPassedOver(code: number): boolean {
  if (code > 0x20 && code < 0xa0) return false
  return code !== NONE && /^[\s\p{Default_Ignorable_Code_Point}]$/u.test(String.fromCodePoint(code))
}
