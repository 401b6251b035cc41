// Makes of secrets what matcher.ts searches a text for: their signs, and how each may be encoded (readers.ts). A sign is one code point of
// a secret.

import { BASE64, ENCODINGS, isPassedOver, type Encoding } from './readers.ts'

/** One form of one secret. */
export interface Form {
  /** Code points, without those that are passed over. */
  readonly signs: readonly number[]
  readonly encoding: Encoding
}

/** Forms of every secret, by the byte with which they may begin. */
export type Forms = readonly (readonly Form[])[]

/** Fewest signs of a part: fewer would mask most of a text. */
const MIN_SIGNS = 3
/** Fewest characters of base64: fewer occur in ordinary words. */
const MIN_BASE64 = 4
/** Most characters of a part: what is longer, as some tokens are, is masked in several. */
const MAX_PART = 4_096
const PARTS = new RegExp(`[^]{1,${MAX_PART}}`, 'gu')

/** Makes the forms of all secrets. `undefined` when there is nothing to search for. */
export function formsOf(secrets: Iterable<string>): Forms | undefined {
  const forms = Array.from({ length: 256 }, (): Form[] => [])
  const add = (text: string, encodings: readonly Encoding[]): void => {
    const signs = signsOf(text)
    const first = Buffer.from(String.fromCodePoint(signs[0]!)).toString('latin1')[0]!
    for (const encoding of encodings)
      for (const byte of new Set(Buffer.from(encoding.begins(first), 'latin1'))) forms[byte]!.push({ signs, encoding })
  }
  for (const line of [...secrets].flatMap(linesOf)) {
    add(line, ENCODINGS)
    for (const text of base64Of(line)) add(text, [BASE64])
  }
  return forms.some(({ length }) => length > 0) ? forms : undefined
}

/** Cuts a secret into the parts that are masked, each by itself: its lines, as of a PEM key, in pieces of MAX_PART. */
function linesOf(secret: string): string[] {
  const lines = secret.toWellFormed().split(/[\r\n]+/)
  return lines
    .filter((line) => !line.startsWith('-----'))
    .flatMap((line) => line.trim().match(PARTS) ?? [])
    .filter((part) => signsOf(part).length >= MIN_SIGNS)
}

function signsOf(text: string): number[] {
  return Array.from(text, (sign) => sign.codePointAt(0)!).filter((code) => !isPassedOver(code))
}

/** Encodes a secret in base64: alone, and at each of its three places in a longer text, where only the characters count that depend on the
 *  secret alone. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const texts = [bytes.toString('base64').replace(/=+$/, ''), ...within]
  return [...new Set(texts)].filter(({ length }) => length >= MIN_BASE64)
}
