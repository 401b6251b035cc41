// What to search for to mask a secret: the forms it may have, and the ways to write each of their characters.

/** A part of a form. */
export interface Step {
  /** Each a way to write it, in the codes of escapes.ts. */
  readonly ways: readonly (readonly number[])[]
  /** What may follow it, any number of times: repetitions of itself, or separators. */
  readonly trailing?: readonly number[]
}

export interface Pattern {
  readonly steps: readonly Step[]
  /** Where a text is cut off, this many of its first steps are masked too. */
  readonly telling: number
}

const MIN_LENGTH = 3
/** Fewer characters of base64 occur in ordinary words. */
const MIN_BASE64 = 4
/** Longer than any address. */
const MAX_LENGTH = 4_096
/** Half of a secret's characters give it away, within these bounds. */
const LEAST_TELLING = 4
const MOST_TELLING = 8
const MIN_LINE = 16

/** What a URL parser encodes in a query. */
const IN_QUERY = /[^!$-;=?-~]/gu
const GAP = /[\t-\r ]/
const DOUBLED = /[\\'"]/
const SPACES = [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x2b]
const LOST = 0x3f
const REPLACEMENT = 0xfffd
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** No pattern for a secret of fewer than 3 characters, or of white space: it would mask most of a text. Of a PEM text, each line
 *  of 16 characters or more; of any other secret, the first 4,096 characters. */
export function patternsOf(secret: string): Pattern[] {
  const text = secret.toWellFormed()
  if (text.trimStart().startsWith('-----BEGIN '))
    return text
      .split(/[\r\n]+/)
      .filter((line) => line.length >= MIN_LINE && !line.startsWith('-----'))
      .map((line) => pattern(stepsOf(line), MOST_TELLING))
  const core = (text.trim().length < MIN_LENGTH ? text : text.trim()).slice(0, MAX_LENGTH).toWellFormed()
  if (core.length < MIN_LENGTH || core.trim() === '') return []
  const telling = Math.min(MOST_TELLING, Math.max(LEAST_TELLING, Math.ceil(core.length / 2)))
  // a URL parser removes line breaks
  const texts = [...new Set([core, core.normalize('NFC'), core.replace(/[\t\r\n]/g, '')])]
  const encoded = encodedForms(core)
  return [
    ...texts.filter(({ length }) => length >= MIN_LENGTH).map((form) => pattern(stepsOf(form), telling)),
    ...encoded.flatMap(base64Forms).map((steps) => pattern(steps, Math.ceil((telling * 4) / 3))),
    ...encoded.flatMap((form) => dumps(Buffer.from(form), telling)),
  ]
}

/** Forms it may have had before it was encoded as base64 or numbers. */
function encodedForms(text: string): string[] {
  const inUrl = [encodeURIComponent(text), encodeURI(text), text.replace(IN_QUERY, encodeURIComponent)]
  const inForm = new URLSearchParams([['', text]]).toString().slice(1)
  const lower = inUrl.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  return [...new Set([text, ...inUrl, ...lower, inForm, JSON.stringify(text).slice(1, -1)])]
}

function pattern(steps: readonly Step[], telling: number): Pattern {
  return { steps, telling }
}

/** One step per character; a run of white space or backslashes is one step, because escaping and wrapping change its length. A quote may
 *  be doubled, as in SQL and CSV. */
function stepsOf(text: string): Step[] {
  // a program that cannot write some characters replaces them: looked for only if others remain
  const isLegible = (text.match(/[!-~]/g)?.length ?? 0) >= MIN_LENGTH
  const parts = text.match(/[\t-\r ]+|[^]/gu) ?? []
  return parts.map((part, index) => ({
    ways: GAP.test(part) ? gapWays(part, isLegible) : waysOf(part, isLegible),
    trailing: GAP.test(part) ? SPACES : DOUBLED.test(part) && parts[index + 1] !== part ? [part.charCodeAt(0)] : [],
  }))
}

function plainSteps(text: string): Step[] {
  return Array.from(text, (character) => ({ ways: [[character.charCodeAt(0)]] }))
}

function gapWays(gap: string, isLegible: boolean): number[][] {
  return [...SPACES, ...(isLegible && /[^ ]/.test(gap) ? [LOST] : [])].map((code) => [code])
}

function waysOf(character: string, isLegible: boolean): number[][] {
  const point = character.codePointAt(0)!
  if (point > 0x20 && point < 0x7f) return [[point]]
  const bytes = Buffer.from(character)
  // UTF-8 decoded with the wrong charset, and encoded again
  const once = bytes.toString('latin1')
  const misread = [once, windows1252(bytes), Buffer.from(once).toString('latin1')]
  const ways = [
    [point],
    ...[character, character.normalize('NFD'), ...misread].flatMap((text) => [unitsOf(text), [...Buffer.from(text)]]),
    unitsOf(bytes.toString('ascii')),
    ...(isLegible ? lostWays(character.length, bytes.length) : []),
  ]
  return [...new Map(ways.map((way) => [way.join(), way])).values()]
}

/** What a program that cannot write a character puts in its place. */
function lostWays(units: number, bytes: number): number[][] {
  const counts = [...new Set([1, units, bytes])]
  return counts.flatMap((count) => [
    Array<number>(count).fill(LOST),
    Array<number>(count).fill(REPLACEMENT),
    Array.from({ length: count }, () => [...Buffer.from('\ufffd')]).flat(),
    Array<number>(count).fill(0x20),
  ])
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

function windows1252(bytes: Buffer): string {
  return Array.from(bytes.toString('latin1'), (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80] ?? sign).join('')
}

/** The characters of base64 that depend on the secret alone, for each of its three alignments in a longer text. */
function base64Forms(secret: string): Step[][] {
  const bytes = Buffer.from(secret)
  const forms = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    return to - from < MIN_BASE64 ? withNeighbours(bytes, before, from, to) : text.slice(from, to)
  })
  const whole = bytes.toString('base64').replace(/=+$/, '')
  const texts = [whole, ...forms.filter((form) => typeof form === 'string')]
  return [
    ...[...new Set([...texts, ...texts.map(inUrlAlphabet)])].map(plainSteps),
    ...forms.filter((form) => typeof form !== 'string'),
  ]
}

/** Three characters occur in ordinary words (`tle` of "key", as in "settled"), so the characters on either side count too: the
 *  secret determines some of their bits. */
function withNeighbours(bytes: Buffer, before: number, from: number, to: number): Step[] {
  const texts = Array.from({ length: 256 }, (_, other) =>
    Buffer.concat([Buffer.alloc(before, other), bytes, Buffer.of(other)]).toString('base64'),
  )
  return Array.from({ length: to - from + 2 }, (_, at) => {
    const signs = texts.map((text) => text[from - 1 + at]!)
    return {
      ways: [...new Set([...signs, ...signs.map(inUrlAlphabet)])].map((sign) => [sign.charCodeAt(0)]),
    }
  })
}

function inUrlAlphabet(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

/** May stand between the numbers of a dump, as in `61 62`, `61:62`, `0x61, 0x62`. A line that ends in a number must not be held back, so a line
 *  break needs a comma or a space before it. */
const SEPARATORS = Array.from(' ,:;-0xX', (sign) => sign.charCodeAt(0))

/** Dumps of its bytes: hexadecimal in either case, and decimal. */
function dumps(bytes: Buffer, telling: number): Pattern[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  return [dump(hex, [], telling), dump(Array.from(bytes, String), [',', ' '], telling)]
}

/** @param between one of these stands between two numbers; none: they may touch */
function dump(numbers: readonly string[], between: readonly string[], telling: number): Pattern {
  const separator =
    between.length === 0
      ? []
      : [{ ways: between.map((sign) => [sign.charCodeAt(0)]), trailing: [...SEPARATORS, ...SPACES] }]
  const parts = numbers.map((number, index) => {
    const digits: Step[] = Array.from(number, (digit) => ({
      ways: [...new Set([digit, digit.toUpperCase()])].map((way) => [way.charCodeAt(0)]),
    }))
    if (index === numbers.length - 1) return digits
    return separator.length > 0
      ? [...digits, ...separator]
      : digits.with(digits.length - 1, { ...digits.at(-1)!, trailing: SEPARATORS })
  })
  return pattern(parts.flat(), parts.slice(0, telling).flat().length)
}
