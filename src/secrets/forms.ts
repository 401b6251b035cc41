// Makes the forms of secrets that matcher.ts searches a text for. A form is a secret, or a part of one, as a list of signs (code points),
// and an encoding in which they may be written (readers.ts).

import { BASE64, ENCODINGS, isPassedOver, type Encoding } from './readers.ts'

export interface Form {
  /** Code points, without those that a text may have or lack (`isPassedOver`: white space and the like). */
  readonly signs: readonly number[]
  readonly encoding: Encoding
}

/** The forms of all secrets in 256 lists: at each byte, those that may begin with it. */
export type Forms = readonly (readonly Form[])[]

/** Fewest signs of a part: fewer would mask most of a text. */
const MIN_SIGNS = 3
/** Fewest characters of base64: fewer occur in ordinary words. */
const MIN_BASE64 = 4
/** Most characters of a part, as a matcher holds back what may be the beginning of one. A longer line, as some tokens are, has several. */
const MAX_PART = 4_096
const PARTS = new RegExp(`[^]{1,${MAX_PART}}`, 'gu')

/** Makes the forms of all secrets. `undefined` when there is nothing to search for. */
export function formsOf(secrets: Iterable<string>): Forms | undefined {
  const forms = Array.from({ length: 256 }, (): Form[] => [])
  const add = (text: string, encodings: readonly Encoding[]): void => {
    const signs = signsOf(text)
    // a text is searched byte by byte: first comes the first byte of UTF-8, or what the encoding has in its place
    const firstByte = Buffer.from(String.fromCodePoint(signs[0]!)).toString('latin1')[0]!
    for (const encoding of encodings)
      for (const byte of new Set(Buffer.from(encoding.begins(firstByte), 'latin1')))
        forms[byte]!.push({ signs, encoding })
  }
  for (const part of [...secrets].flatMap(partsOf)) {
    add(part, ENCODINGS)
    for (const text of base64Of(part)) add(text, [BASE64])
  }
  return forms.some(({ length }) => length > 0) ? forms : undefined
}

/** Cuts a secret into the parts that are masked, each by itself: its lines, as of a PEM key, in pieces of MAX_PART. */
function partsOf(secret: string): string[] {
  const lines = secret.toWellFormed().split(/[\r\n]+/)
  return lines
    .filter((line) => !line.startsWith('-----'))
    .flatMap((line) => line.trim().match(PARTS) ?? [])
    .filter((part) => signsOf(part).length >= MIN_SIGNS)
}

function signsOf(text: string): number[] {
  return Array.from(text, (sign) => sign.codePointAt(0)!).filter((code) => !isPassedOver(code))
}

/** Encodes a secret in base64: alone, and within a longer text, where 0, 1 or 2 bytes of a group of three come before it. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // a character has 6 bits; those at both ends that have bits of other bytes are left out
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  const texts = [bytes.toString('base64').replace(/=+$/, ''), ...within]
  return [...new Set(texts)].filter(({ length }) => length >= MIN_BASE64)
}
