// An integer of any size in two's complement, and a scale, as a decimal text: every digit of the scale, no exponent.

/** Longer ones take far more time than their length. About 9,800 digits. */
const MOST_BYTES = 4096

/** @param scale digits behind the point; negative: zeros before it. The caller has room for so many
 *  @returns undefined for an integer of no bytes, or of more than 4,096 that say something */
export function decimalText(bytes: Buffer, from: number, to: number, scale: number): string | undefined {
  if (from === to) return undefined
  const first = significant(bytes, from, to)
  const length = to - first
  if (length > MOST_BYTES) return undefined
  if (length <= 6) return placed(bytes.readIntBE(first, length), scale)
  return placed(BigInt.asIntN(8 * length, BigInt(`0x${bytes.toString('hex', first, to)}`)), scale)
}

/** Past the bytes that only repeat the sign. */
function significant(bytes: Buffer, from: number, to: number): number {
  const sign = bytes[from]! < 128 ? 0 : 255
  let first = from
  while (first + 1 < to && bytes[first] === sign && bytes[first + 1]! >> 7 === sign >> 7) first++
  return first
}

function placed(value: number | bigint, scale: number): string {
  const sign = value < 0 ? '-' : ''
  const digits = String(value < 0 ? -value : value)
  if (scale <= 0) return sign + (digits === '0' ? digits : digits + '0'.repeat(-scale))
  const all = digits.padStart(scale + 1, '0')
  return `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`
}
