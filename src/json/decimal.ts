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

/** Makes the canonical form, as `canonicalNumber` does, of a JSON number in a string. */
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
  // 2^53 - 1 has 16 digits. Below 0: too many zeros, or decimals.
  const zeros = exponent.length <= 2 ? Number(exponent) : -1
  if (zeros >= 0 && digits.length + zeros <= 16) {
    const value = Number(digits) * 10 ** zeros
    if (Number.isSafeInteger(value)) return negative ? -value : value
  }
  return `${negative ? '-' : ''}${digits}e${exponent}`
}

/** Adds a small integer to a decimal one of any length, which may have a sign and leading zeros; the sum is plain text. */
function plus(text: string, small: number): string {
  const sum = Number(text) + small
  return Number.isSafeInteger(sum) ? String(sum) : String(BigInt(text) + BigInt(small))
}
