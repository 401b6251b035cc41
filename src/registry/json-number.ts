// Numbers as texts that read back as the same number. A binary floating-point number that JSON has no number for is a
// string; a decimal keeps every digit of its scale.

/** The shortest text of a float64; NaN and the infinities as strings with their quotes, as Protobuf's JSON has them;
 *  -0 as -0.0, because some parsers read -0 as the integer 0. */
export function doubleText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0'
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

/** The shortest text that reads back as the same float32, whether it is read as a float32 or as a float64 and rounded.
 *  Of several it is the nearest; of two equally near ones the even one.
 *  @param value a float32: Math.fround changes nothing */
export function floatText(value: number): string {
  const exact = doubleText(value)
  // six digits, here with a point, always survive a float32 (unless it is subnormal), so no shorter text can mean the same
  if (exact.length <= 7 || !Number.isFinite(value)) return exact
  return value < 0 ? `-${shortestDecimal(-value, exact.slice(1))}` : String(shortestDecimal(value, exact))
}

const SMALLEST_NORMAL = 2 ** -126

function shortestDecimal(value: number, exact: string): number {
  // float32 values are denser below a power of two: the decimal above may read back where the nearer one below does not
  const isPower = Math.log2(value) % 1 === 0
  for (let digits = value < SMALLEST_NORMAL ? 1 : 6; digits < 9; digits++) {
    const near = Number(nearest(value, exact, digits))
    if (readsBack(near, value, digits)) return near
    const above = isPower ? Number(stepped(value.toExponential(digits - 1), 1)) : near
    if (above !== near && readsBack(above, value, digits)) return above
  }
  return Number(value.toPrecision(9))
}

/** Rounds to so many digits; half way between two texts to the one whose last digit is even. */
function nearest(value: number, exact: string, digits: number): string {
  const text = value.toPrecision(digits)
  // a longer one has too many digits for that
  if (exact.length > 18 || !isHalfWay(exact, digits)) return text
  const exponential = value.toExponential(digits - 1)
  return Number(exponential[lastDigit(exponential)]) % 2 === 1 ? stepped(exponential, -1) : text
}

/** Tells whether it lies exactly half way between two texts of so many digits: with one more, a 5, it is exact. */
function isHalfWay(exact: string, digits: number): boolean {
  const significant = exact.replace(/e.*|\./g, '').replace(/^0+/, '')
  return significant.length === digits + 1 && significant.endsWith('5')
}

/** Changes the last digit by one. Returns the same text where that would carry, for fewer digits say the same then. */
function stepped(exponential: string, by: 1 | -1): string {
  const at = lastDigit(exponential)
  const digit = Number(exponential[at]) + by
  return digit > 9 ? exponential : exponential.slice(0, at) + digit + exponential.slice(at + 1)
}

function lastDigit(exponential: string): number {
  return exponential.indexOf('e') - 1
}

/** Tells whether a text reads back as the float32 `value`. A float64 half way between two float32 is not enough: the text itself
 *  may lie on the other side of it, unless it is exactly that float64.
 *  @param decimal the text as a float64 */
function readsBack(decimal: number, value: number, digits: number): boolean {
  if (Math.fround(decimal) !== value) return false
  // what lies as far on the other side: a float32 too, if the text is half way
  const other = 2 * decimal - value
  if (decimal === value || Math.fround(other) !== other) return true
  const [mantissa] = decimal.toExponential(digits + 19).split('e')
  return mantissa!.endsWith('0'.repeat(20))
}

/** About 9,800 digits: the time for longer ones grows faster than their length. */
const MOST_BYTES = 4096

/** @param bytes two's complement, the most significant byte first
 *  @param scale digits behind the point; negative: zeros before it. The caller has room for as many
 *  @returns undefined for an integer of no bytes, or of more than `most` that say something */
export function decimalText(
  bytes: Buffer,
  from: number,
  to: number,
  scale: number,
  most = MOST_BYTES,
): string | undefined {
  if (from === to) return undefined
  const first = firstSignificant(bytes, from, to)
  const length = to - first
  if (length > most) return undefined
  const value =
    length <= 6
      ? bytes.readIntBE(first, length)
      : BigInt.asIntN(8 * length, BigInt(`0x${bytes.toString('hex', first, to)}`))
  return value < 0 ? `-${pointed(String(-value), scale)}` : pointed(String(value), scale)
}

/** Finds the first byte that does not only repeat the sign. */
function firstSignificant(bytes: Buffer, from: number, to: number): number {
  const sign = bytes[from]! < 128 ? 0 : 255
  let first = from
  while (first + 1 < to && bytes[first] === sign && bytes[first + 1]! >> 7 === sign >> 7) first++
  return first
}

/** Puts a point into the digits of an integer, or zeros behind them. */
export function pointed(digits: string, scale: number): string {
  if (scale <= 0) return digits === '0' ? digits : digits + '0'.repeat(-scale)
  const all = digits.padStart(scale + 1, '0')
  return `${all.slice(0, -scale)}.${all.slice(-scale)}`
}
