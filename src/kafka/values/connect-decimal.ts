// Exact decimal texts of what Kafka Connect writes for decimals. Nothing is rounded, no exponent is left.

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
/** What databases allow: more would let few bytes become many. */
const LARGEST_SCALE = 16_383
/** About 145,000 digits. */
const MOST_BASE64 = 80_000
/** Bytes of an integer that a double holds exactly. */
const SMALL = 6

/** @param base64 the unscaled value: two's complement, most significant byte first
 *  @param scale how many digits stand behind the point; below zero: how many zeros are left out in front of it
 *  @returns undefined: it is no decimal, or one beyond every database's */
export function decimalOfBase64(base64: string, scale: number): string | undefined {
  if (base64.length === 0 || base64.length > MOST_BASE64 || !BASE64.test(base64)) return undefined
  if (!isScale(scale)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length <= SMALL) return pointed(String(bytes.readIntBE(0, bytes.length)), scale)
  return pointed(integerOf(bytes).toString(), scale)
}

/** The same for a JSON number, as Connect writes decimals with `decimal.format=NUMERIC`. */
export function decimalOfNumber(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (sign === undefined || whole === undefined || text.length > 2 * MOST_BASE64) return undefined
  const scale = fraction.length - Number(exponent)
  if (!isScale(Number(exponent))) return undefined
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  return pointed(/^0+$/.test(digits) ? digits : sign + digits, scale)
}

function isScale(scale: number): boolean {
  return Number.isInteger(scale) && Math.abs(scale) <= LARGEST_SCALE
}

function integerOf(bytes: Buffer): bigint {
  const magnitude = BigInt(`0x${bytes.toString('hex')}`)
  return bytes[0]! >= 0x80 ? magnitude - (1n << BigInt(8 * bytes.length)) : magnitude
}

function pointed(integer: string, scale: number): string {
  if (scale === 0) return integer
  if (scale < 0) return integer === '0' ? integer : integer + '0'.repeat(-scale)
  const negative = integer.startsWith('-')
  const digits = (negative ? integer.slice(1) : integer).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}
