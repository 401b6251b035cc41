// What to search for when a secret must not be shown: the forms it may take, and the ways to write each character of them.

/** A part of a form. */
export interface Step {
  /** Each a way to write it, in the codes of escapes.ts. */
  readonly ways: readonly (readonly number[])[]
  /** Whether it may come several times in a row. */
  readonly repeats: boolean
}

export interface Pattern {
  readonly steps: readonly Step[]
  /** So many steps at the end of a text that was cut off are too many to be shown. */
  readonly telling: number
}

const MIN_LENGTH = 3
/** Fewer characters of base64 stand in ordinary words. */
const MIN_BASE64 = 4
/** No address can carry more. */
const MAX_LENGTH = 4_096
/** This many of its characters give a secret away: half of it, within these bounds. */
const LEAST_TELLING = 4
const MOST_TELLING = 8
const MIN_LINE = 16

/** What a URL parser encodes itself. */
const IN_QUERY = /[^!$-;=?-~]/gu
const GAP = /[\t-\r ]/
const SPACES = [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x2b]
const LOST = 0x3f
const REPLACEMENT = 0xfffd
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Nothing for a secret of fewer than 3 characters, or of white space: it would blot out the text. Of a PEM text each line
 *  of 16 characters or more; of any other the first 4,096 characters. */
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
  // a URL parser takes line breaks out
  const texts = [...new Set([core, core.normalize('NFC'), core.replace(/[\t\r\n]/g, '')])]
  const encoded = encodedForms(core)
  return [
    ...texts.filter(({ length }) => length >= MIN_LENGTH).map((form) => pattern(stepsOf(form), telling)),
    ...encoded.flatMap(base64Forms).map((steps) => pattern(steps, Math.ceil((telling * 4) / 3))),
    ...encoded.flatMap((form) => inNumbers(Buffer.from(form), telling)),
  ]
}

/** As it may have been before it became base64 or numbers. */
function encodedForms(text: string): string[] {
  const inUrl = [encodeURIComponent(text), encodeURI(text), text.replace(IN_QUERY, encodeURIComponent)]
  const inForm = new URLSearchParams([['', text]]).toString().slice(1)
  const lower = inUrl.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
  return [...new Set([text, ...inUrl, ...lower, inForm, JSON.stringify(text).slice(1, -1)])]
}

function pattern(steps: readonly Step[], telling: number): Pattern {
  return { steps, telling }
}

/** A step a character, a row of white space or backslashes as one or several: how many, escapes and line breaks blur. */
function stepsOf(text: string): Step[] {
  // where most of it can be read, the rest may be lost
  const isLegible = (text.match(/[!-~]/g)?.length ?? 0) >= MIN_LENGTH
  const parts = text.match(/[\t-\r ]+|[^]/gu) ?? []
  return parts.map((part, index) => ({
    ways: GAP.test(part) ? gapWays(part, isLegible) : waysOf(part, isLegible),
    repeats: GAP.test(part) || (part === '\\' && parts[index + 1] !== '\\'),
  }))
}

function plainSteps(text: string): Step[] {
  return Array.from(text, (character) => ({ ways: [[character.charCodeAt(0)]], repeats: false }))
}

function gapWays(gap: string, isLegible: boolean): number[][] {
  return [...SPACES, ...(isLegible && /[^ ]/.test(gap) ? [LOST] : [])].map((code) => [code])
}

function waysOf(character: string, isLegible: boolean): number[][] {
  const point = character.codePointAt(0)!
  if (point > 0x20 && point < 0x7f) return [[point]]
  const bytes = Buffer.from(character)
  // UTF-8 that was read as something else, and written again
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

/** Replaced by a program that could not write it. */
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

/** The characters of base64 that depend on the secret only, for each place it may have in a longer text. */
function base64Forms(secret: string): Step[][] {
  const bytes = Buffer.from(secret)
  const forms = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    return to - from < MIN_BASE64 ? neighboured(bytes, before, from, to) : text.slice(from, to)
  })
  const whole = bytes.toString('base64').replace(/=+$/, '')
  const texts = [whole, ...forms.filter((form) => typeof form === 'string')]
  return [
    ...[...new Set([...texts, ...texts.map(inUrlAlphabet)])].map(plainSteps),
    ...forms.filter((form) => typeof form !== 'string'),
  ]
}

/** Three characters are part of ordinary words (`tle` of "key", as in "settled"): with those on either side, of which the
 *  secret determines some bits. */
function neighboured(bytes: Buffer, before: number, from: number, to: number): Step[] {
  const texts = Array.from({ length: 256 }, (_, other) =>
    Buffer.concat([Buffer.alloc(before, other), bytes, Buffer.of(other)]).toString('base64'),
  )
  return Array.from({ length: to - from + 2 }, (_, at) => {
    const signs = texts.map((text) => text[from - 1 + at]!)
    return {
      ways: [...new Set([...signs, ...signs.map(inUrlAlphabet)])].map((sign) => [sign.charCodeAt(0)]),
      repeats: false,
    }
  })
}

function inUrlAlphabet(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

/** As a dump of its bytes: hexadecimal in either case, or decimal. */
function inNumbers(bytes: Buffer, telling: number): Pattern[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  return [
    ...['', ' '].map((between) => joined(hex, between, telling)),
    ...[',', ', '].map((between) => joined(Array.from(bytes, String), between, telling)),
  ]
}

function joined(numbers: readonly string[], between: string, telling: number): Pattern {
  const steps = Array.from(numbers.join(between), (sign) => ({
    ways:
      sign === ' ' ? gapWays(sign, false) : [...new Set([sign, sign.toUpperCase()])].map((way) => [way.charCodeAt(0)]),
    repeats: sign === ' ',
  }))
  return pattern(steps, numbers.slice(0, telling).join(between).length)
}
