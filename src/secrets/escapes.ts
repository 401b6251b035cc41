// Decodes the escape that begins at a place of a text, even when it was escaped several times.

/** A possible decoding. */
interface Escaped {
  /** A code point, a UTF-16 unit or a byte of UTF-8; only its neighbours show which. */
  readonly code: number
  /** Where the escape ends. */
  readonly end: number
}

const PERCENT = 0x25
const AMPERSAND = 0x26
const BACKSLASH = 0x5c

/** Nested escapes are followed this far. */
const MOST = 32

const HEX = /u[0-9a-f]{4}|[0-9a-f]{2}/iy
const HEX_CUT = /(?:u[0-9a-f]{0,3}|[0-9a-f])?$/iy
const ENTITY = /#x0{0,8}([0-9a-f]{1,6});?|#0{0,8}(\d{1,7});?|([a-z]{2,8}\d{0,2});/iy
const ENTITY_CUT = /#?[0-9a-z]{0,18}$/iy
const ESCAPE = /u([0-9a-f]{4})|u\{0{0,8}([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-3][0-7]{2})|([0bfnrtv])|[^0-9a-z]/iy
const ESCAPE_CUT = /(?:u(?:[0-9a-f]{0,3}|\{[0-9a-f]{0,14})|x[0-9a-f]?|[0-3][0-7]?)?$/iy
/** How Node shows a text of several lines: `'one\n' +⏎  'two'`. */
const NEXT_LINE = /['"`] \+\s{1,64}['"`]/y
const NEXT_LINE_CUT = /(?:['"`](?: (?:\+\s{0,64})?)?)?$/y

const LETTERS: Readonly<Record<string, number>> = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Whether a UTF-16 unit may begin an escape. */
export function isEscape(unit: number): boolean {
  return unit === PERCENT || unit === AMPERSAND || unit === BACKSLASH
}

/** Every possible decoding of the escapes that begin at `at`.
 *  @param isWhole false: more text will follow
 *  @returns undefined when it depends on the text that follows */
export function escapedAt(text: string, at: number, isWhole: boolean): readonly Escaped[] | undefined {
  const itself = { code: text.charCodeAt(at), end: at + 1 }
  const found: Escaped[] = []
  const add = (more: readonly Escaped[] | undefined): boolean => {
    if (more === undefined) return false
    found.push(...more)
    return true
  }
  // grows while it is walked: a decoded character may begin another escape
  for (let next: Escaped | undefined = itself, index = 0; next && index < MOST; next = found[index++]) {
    const { code, end } = next
    if (code === PERCENT && !add(percent(text, end, isWhole))) return undefined
    if (code === AMPERSAND && !add(entity(text, end, isWhole))) return undefined
    if (code === BACKSLASH && !add(backslash(text, end, isWhole))) return undefined
  }
  return found
}

type Read = readonly Escaped[] | undefined

/** Behind `%`. */
function percent(text: string, at: number, isWhole: boolean): Read {
  const hex = matched(HEX, text, at)?.[0]
  if (hex !== undefined) return [{ code: parseInt(hex.replace(/^u/i, ''), 16), end: at + hex.length }]
  return !isWhole && matched(HEX_CUT, text, at) ? undefined : []
}

/** Behind `&`. */
function entity(text: string, at: number, isWhole: boolean): Read {
  if (!isWhole && matched(ENTITY_CUT, text, at)) return undefined
  const match = matched(ENTITY, text, at)
  if (!match) return []
  const [all, hex, decimal, name] = match
  const code = name === undefined ? parseInt(hex ?? decimal!, hex === undefined ? 10 : 16) : HTML_NAMES.get(name)
  return code === undefined ? [] : [{ code, end: at + all.length }]
}

/** Behind one or more `\`. */
function backslash(text: string, from: number, isWhole: boolean): Read {
  let at = from
  while (text.charCodeAt(at) === BACKSLASH) if (++at - from > MOST) return []
  if (!isWhole && matched(ESCAPE_CUT, text, at)) return undefined
  const match = matched(ESCAPE, text, at)
  if (!match) return []
  const [all, unit, point, byte, octal, letter] = match
  const end = at + all.length
  const hex = unit ?? point ?? byte
  if (hex !== undefined) return [{ code: parseInt(hex, 16), end }]
  if (octal !== undefined) return [{ code: parseInt(octal, 8), end }]
  if (letter !== undefined) return ofLetter(text, LETTERS[letter] ?? letter.charCodeAt(0), end, isWhole)
  return [{ code: all.charCodeAt(0), end }]
}

function ofLetter(text: string, code: number, end: number, isWhole: boolean): Read {
  if (code !== LETTERS['n']) return [{ code, end }]
  if (!isWhole && matched(NEXT_LINE_CUT, text, end)) return undefined
  const gap = matched(NEXT_LINE, text, end)?.[0]
  return [{ code, end }, ...(gap === undefined ? [] : [{ code, end: end + gap.length }])]
}

function matched(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

// The names HTML has for ASCII signs and for the characters of Latin-1.

/** Each with its sign. */
const SIGNS =
  'Tab\t NewLine\n excl! quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; ' +
  'lt< equals= gt> quest? commat@ lsqb[ bsol\\ rsqb] Hat^ lowbar_ grave` lcub{ verbar| rcub}'

/** From U+00A0 to U+00FF. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr ' +
  'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ' +
  'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

/** Name, without `&` and `;`, to code point. */
const HTML_NAMES: ReadonlyMap<string, number> = new Map([
  ...SIGNS.split(' ').map((text) => [text.slice(0, -1), text.charCodeAt(text.length - 1)] as const),
  ...LATIN.split(' ').map((name, index) => [name, 0xa0 + index] as const),
])
