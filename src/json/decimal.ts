// The canonical form of a JSON number: two numbers get the same form if and only if they have the same value, however they are written.
// Exact: nothing is rounded, and no exponent is written out as zeros, however large.

import { MINUS, ZERO } from './bytes.ts'

/** The canonical form of the JSON number bytes[from, to): a JavaScript number when the value is an integer of at most
 *  2^53 - 1 in magnitude (7, 7.0, 70e-1 and 0.7e1 are 7, -0 is 0), else a text: 0.50 is "5e-1". */
export function canonicalNumber(bytes: Buffer, from: number, to: number): number | string {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  // most numbers are integers of up to 15 digits, which are exact: they need no string
  if (to - first <= 15) {
    let value = 0
    let at = first
    for (; at < to; at++) {
      const digit = bytes[at]! - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (at === to) return negative && value !== 0 ? -value : value
  }
  return canonicalNumberText(bytes.toString('latin1', from, to))
}

/** Makes the canonical form of a JSON number that is a string: see `canonicalNumber`. */
export function canonicalNumberText(text: string): number | string {
  const negative = text.startsWith('-')
  const exponentAt = Math.max(text.indexOf('e'), text.indexOf('E'))
  const mantissa = text.slice(negative ? 1 : 0, exponentAt === -1 ? undefined : exponentAt)
  const point = mantissa.indexOf('.')
  const decimals = point === -1 ? 0 : mantissa.length - point - 1
  const allDigits = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  // without the zeros at both ends
  let from = 0
  let to = allDigits.length
  while (from < to && allDigits.charCodeAt(from) === ZERO) from++
  while (to > from && allDigits.charCodeAt(to - 1) === ZERO) to--
  if (from === to) return 0
  const digits = allDigits.slice(from, to)
  // the value is `digits` times 10 to the power of `exponent`
  const exponent = plus(exponentAt === -1 ? '0' : text.slice(exponentAt + 1), allDigits.length - to - decimals)
  // a safe integer has no negative exponent, and no more digits than the largest one, 2^53 - 1
  const hasFewZeros = exponent.length <= 2 && !exponent.startsWith('-')
  if (hasFewZeros && digits.length + Number(exponent) <= 16) {
    const value = Number(digits) * 10 ** Number(exponent)
    if (Number.isSafeInteger(value)) return negative ? -value : value
  }
  return `${negative ? '-' : ''}${digits}e${exponent}`
}

/** Adds a small integer to one in a text, which may be long and have a sign and leading zeros. The sum has no plus and no such zeros. */
function plus(text: string, small: number): string {
  const sum = Number(text) + small
  return Number.isSafeInteger(sum) ? String(sum) : String(BigInt(text) + BigInt(small))
}
