// Timestamp and Duration of Protobuf as texts. A value out of range keeps its numbers: nothing is wrapped or cut.

/** Year 1 to year 9999. */
const FIRST_SECOND = -62_135_596_800
const LAST_SECOND = 253_402_300_799
/** 10,000 years. */
const LONGEST = 315_576_000_000
const LAST_NANO = 999_999_999

/** @param seconds digits since 1970
 *  @returns JSON: "2006-01-02T15:04:05.123Z", or an object of both numbers for a point in time it has no text for */
export function timestampJson(seconds: string, nanos: string): string {
  const whole = small(seconds)
  const fraction = Number(nanos)
  if (!(whole >= FIRST_SECOND && whole <= LAST_SECOND && fraction >= 0 && fraction <= LAST_NANO)) {
    return numbers(seconds, nanos)
  }
  const time = new Date(whole * 1000).toISOString().slice(0, -'.000Z'.length)
  return `"${time}${fractionText(fraction)}Z"`
}

/** @returns JSON: "-1.500s", or an object of both numbers where it is longer than 10,000 years or its signs differ */
export function durationJson(seconds: string, nanos: string): string {
  const whole = small(seconds)
  const fraction = Number(nanos)
  const isDuration = Math.abs(whole) <= LONGEST && Math.abs(fraction) <= LAST_NANO && whole * fraction >= 0
  if (!isDuration) return numbers(seconds, nanos)
  const sign = whole < 0 || fraction < 0 ? '-' : ''
  return `"${sign}${Math.abs(whole)}${fractionText(Math.abs(fraction))}s"`
}

/** The seconds as a number: all that are in range are short enough to be exact. */
function small(seconds: string): number {
  return seconds.length <= 13 ? Number(seconds) : Number.NaN
}

/** None, three, six or nine digits. */
function fractionText(nanos: number): string {
  if (nanos === 0) return ''
  const digits = String(nanos).padStart(9, '0')
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`
  return `.${digits.endsWith('000') ? digits.slice(0, 6) : digits}`
}

function numbers(seconds: string, nanos: string): string {
  return `{"seconds":${seconds},"nanos":${nanos}}`
}
