// One form for each decimal value: two JSON numbers get the same form if and only if they are the same number.
// Exact: nothing is rounded and no exponent is expanded, however large.

/** The canonical form of the JSON number bytes[from, to): a JavaScript number when the value is an integer of at most
 *  2^53 - 1 in magnitude (7, 7.0, 70e-1 and 0.7e1 are 7, -0 is 0), else a text. */
export function canonicalNumber(bytes: Buffer, from: number, to: number): number | string {
  const negative = bytes[from] === 45
  const first = negative ? from + 1 : from
  if (to - first <= 15) {
    let value = 0
    let at = first
    for (; at < to; at++) {
      const digit = bytes[at]! - 48
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (at === to) return negative && value !== 0 ? -value : value
  }
  return canonicalNumberText(bytes.toString('latin1', from, to))
}

/** The same for a JSON number in a string. */
export function canonicalNumberText(text: string): number | string {
  const negative = text.startsWith('-')
  const exponentAt = Math.max(text.indexOf('e'), text.indexOf('E'))
  const mantissa = text.slice(negative ? 1 : 0, exponentAt === -1 ? undefined : exponentAt)
  const point = mantissa.indexOf('.')
  const decimals = point === -1 ? 0 : mantissa.length - point - 1
  const all = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  let from = 0
  let to = all.length
  while (from < to && all.charCodeAt(from) === 48) from++
  while (to > from && all.charCodeAt(to - 1) === 48) to--
  if (from === to) return 0
  const digits = all.slice(from, to)
  const exponent = plus(exponentAt === -1 ? '0' : text.slice(exponentAt + 1), all.length - to - decimals)
  // 2^53 - 1 has 16 digits.
  const zeros = exponent.length <= 2 ? Number(exponent) : -1
  if (zeros >= 0 && digits.length + zeros <= 16) {
    const value = Number(digits) * 10 ** zeros
    if (Number.isSafeInteger(value)) return negative ? -value : value
  }
  return `${negative ? '-' : ''}${digits}e${exponent}`
}

/** Significant digits from which on a form is given in pieces; far more than an integer of JavaScript has. */
const MANY = 1000
const PIECE = 64 * 1024

/** What `canonicalNumber` gives, where it would be a very long text in pieces of it, made as they are asked for, again each time.
 *  Takes no memory for the number's digits. */
export function canonicalPieces(bytes: Buffer, from: number, to: number): number | string | Iterable<string> {
  const number = bytes.subarray(from, to)
  const exponentAt = Math.max(number.indexOf(101), number.indexOf(69))
  const end = exponentAt === -1 ? number.length : exponentAt
  const mantissa = number.subarray(0, end)
  const point = mantissa.indexOf(46)
  const negative = number[0] === 45
  let first = negative ? 1 : 0
  let last = end
  while (first < last && (number[first] === 48 || first === point)) first++
  while (last > first && (number[last - 1] === 48 || last - 1 === point)) last--
  if (first === last) return 0
  const zeros = end - last - (point >= last ? 1 : 0)
  const decimals = point === -1 ? 0 : end - point - 1
  const written = exponentAt === -1 ? '0' : number.toString('latin1', exponentAt + 1)
  const exponent = `e${plus(written, zeros - decimals)}`
  const sign = negative ? '-' : ''
  const isSplit = point > first && point < last
  const parts = isSplit
    ? [number.subarray(first, point), number.subarray(point + 1, last)]
    : [number.subarray(first, last)]
  if (last - first <= MANY) return canonicalNumberText(`${sign}${parts.join('')}${exponent}`)
  return {
    *[Symbol.iterator]() {
      yield sign
      for (const part of parts)
        for (let at = 0; at < part.length; at += PIECE)
          yield part.toString('latin1', at, Math.min(at + PIECE, part.length))
      yield exponent
    },
  }
}

/** Digits whose sum with any text's length is still exact. */
const EXACT_DIGITS = 15

/** A decimal integer of any length, signs and leading zeros allowed, plus a small one: as plain text. */
function plus(text: string, small: number): string {
  const negative = text.startsWith('-')
  let from = negative || text.startsWith('+') ? 1 : 0
  while (from < text.length - 1 && text.charCodeAt(from) === 48) from++
  if (text.length - from <= EXACT_DIGITS) {
    return String(Number(text.slice(from)) * (negative ? -1 : 1) + small)
  }
  let high = text.slice(from, -EXACT_DIGITS)
  let low = Number(text.slice(-EXACT_DIGITS)) + (negative ? -small : small)
  const unit = 10 ** EXACT_DIGITS
  if (low < 0) {
    low += unit
    high = stepped(high, -1)
  } else if (low >= unit) {
    low -= unit
    high = stepped(high, 1)
  }
  const magnitude = high === '' ? String(low) : high + String(low).padStart(EXACT_DIGITS, '0')
  return (negative ? '-' : '') + magnitude
}

/** A positive decimal integer plus or minus one, without leading zeros; '' for zero. */
function stepped(text: string, by: 1 | -1): string {
  const turning = by === 1 ? 57 : 48
  let at = text.length - 1
  while (at >= 0 && text.charCodeAt(at) === turning) at--
  const turned = (by === 1 ? '0' : '9').repeat(text.length - 1 - at)
  if (at < 0) return `1${turned}`
  const digit = text.charCodeAt(at) - 48 + by
  return text.slice(0, at) + (digit === 0 && at === 0 ? '' : digit) + turned
}
