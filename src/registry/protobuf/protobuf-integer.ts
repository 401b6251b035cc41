// 64-bit integers as digits, from their two halves: exact, for no part of it is a number beyond 2^53.

/** @param high @param low 32 bits each, of whatever sign */
export function unsignedText(high: number, low: number): string {
  return high === 0 ? String(low >>> 0) : joined(high >>> 0, low >>> 0)
}

/** The same in two's complement. */
export function signedText(high: number, low: number): string {
  if (high >= 0) return unsignedText(high, low)
  const negated = -low | 0
  return `-${unsignedText(negated === 0 ? -high | 0 : ~high, negated)}`
}

const MILLION = 1_000_000
const TWO_32 = 4_294_967_296

/** Long division by a million: what is carried stays below 10^6 × 2^32 < 2^53. `high` is not 0. */
function joined(high: number, low: number): string {
  const carried = high % MILLION
  const rest = carried * TWO_32 + low
  const last = rest % MILLION
  const front = ((high - carried) / MILLION) * TWO_32 + (rest - last) / MILLION
  return `${front}${String(last).padStart(6, '0')}`
}
