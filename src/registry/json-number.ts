// JSON of numbers of Avro and Protobuf: the shortest text that reads back as the same float64 or float32; every digit of a decimal.

/** The shortest JSON of a float64. NaN and the infinities, which JSON has no numbers for, are strings with their quotes, as in Protobuf's
 *  JSON mapping. -0 is -0.0, because some parsers read -0 as the integer 0. */
export function doubleText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0'
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

/** The shortest JSON that reads back as the same float32, whether it is read as a float32 or as a float64 and rounded. Of several texts
 *  of that length it is the nearest; of two equally near ones the one whose last digit is even.
 *  @param value a float32: Math.fround does not change it */
export function floatText(value: number): string {
  const exact = doubleText(value)
  // Texts of up to six digits, and a point, all stand for different float32 numbers, except for subnormal ones. So none is shorter.
  if (exact.length <= 7 || !Number.isFinite(value)) return exact
  return value < 0 ? `-${shortestDecimal(-value, exact.slice(1))}` : String(shortestDecimal(value, exact))
}

const SMALLEST_NORMAL = 2 ** -126

/** Tries the nearest decimals of more and more digits, until one reads back as the float32; nine digits always do.
 *  @param exact the shortest text of the value, which is positive, as a float64 */
function shortestDecimal(value: number, exact: string): number {
  // float32 values are denser below a power of two: the decimal above may read back where the nearer one below does not
  const isPower = Math.log2(value) % 1 === 0
  // of the texts of six digits only one can read back, perhaps a shorter one with zeros behind; of a subnormal number several can
  for (let digits = value < SMALLEST_NORMAL ? 1 : 6; digits < 9; digits++) {
    const near = Number(nearest(value, exact, digits))
    if (readsBack(near, value, digits)) return near
    const above = isPower ? Number(stepped(value.toExponential(digits - 1), 1)) : near
    if (above !== near && readsBack(above, value, digits)) return above
  }
  return Number(value.toPrecision(9))
}

/** Rounds to so many digits, in a text. Half way between two texts it is the one whose last digit is even; toPrecision rounds up there. */
function nearest(value: number, exact: string, digits: number): string {
  const text = value.toPrecision(digits)
  // a number half way has one digit more than `digits`, so its text is short
  if (exact.length > 18 || !isHalfWay(exact, digits)) return text
  const exponential = value.toExponential(digits - 1)
  return Number(exponential[lastDigitAt(exponential)]) % 2 === 1 ? stepped(exponential, -1) : text
}

/** Whether a number lies exactly half way between two texts of so many digits: it has one digit more, and that is a 5. */
function isHalfWay(exact: string, digits: number): boolean {
  const significant = exact.replace(/e.*|\./g, '').replace(/^0+/, '')
  return significant.length === digits + 1 && significant.endsWith('5')
}

/** Changes the last digit of a text in exponential notation. A 9 stays, because the next text up has fewer digits, which were tried. */
function stepped(exponential: string, by: 1 | -1): string {
  const at = lastDigitAt(exponential)
  const digit = Number(exponential[at]) + by
  return digit > 9 ? exponential : exponential.slice(0, at) + digit + exponential.slice(at + 1)
}

function lastDigitAt(exponential: string): number {
  return exponential.indexOf('e') - 1
}

/** Whether a text reads back as the float32 `value`. Its float64 may lie half way between two float32 numbers. Then a parser of float32
 *  takes the one that the text itself is nearer to, and that is certainly `value` only if the text is exactly the float64.
 *  @param decimal the text as a float64 */
function readsBack(decimal: number, value: number, digits: number): boolean {
  if (Math.fround(decimal) !== value) return false
  // as far from the float64 as `value`, on its other side: also a float32, if the float64 is half way
  const mirrored = 2 * decimal - value
  if (decimal === value || Math.fround(mirrored) !== mirrored) return true
  // the float64 is exactly the text if only zeros follow the text's digits; 20 more digits show it
  const [mantissa] = decimal.toExponential(digits + 19).split('e')
  return mantissa!.endsWith('0'.repeat(20))
}

/** The most bytes of a decimal's integer: about 9,800 digits. The time for longer ones grows faster than their length. */
const MOST_BYTES = 4096

/** The text of a decimal. `undefined` when its integer has no bytes, or more than `most` without those that only repeat the sign.
 *  @param bytes bytes[from, to) is the integer in two's complement, the most significant byte first
 *  @param scale how many of the digits stand behind the point; if it is negative, how many zeros are added, which the caller bounds */
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

/** The place of the first byte that does more than repeat the sign. */
function firstSignificant(bytes: Buffer, from: number, to: number): number {
  const signByte = bytes[from]! < 128 ? 0 : 255
  let first = from
  while (first + 1 < to && bytes[first] === signByte && bytes[first + 1]! >> 7 === signByte >> 7) first++
  return first
}

/** Puts a point into the digits of an integer, or zeros behind them: by the scale 2, 5 becomes 0.05; by -2, it becomes 500. */
export function pointed(digits: string, scale: number): string {
  if (scale <= 0) return digits === '0' ? digits : digits + '0'.repeat(-scale)
  const all = digits.padStart(scale + 1, '0')
  return `${all.slice(0, -scale)}.${all.slice(-scale)}`
}
