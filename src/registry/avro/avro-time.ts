// Dates and times of Avro as texts, by arithmetic: a Date has 275,000 years only, and takes four times as long.

const DAY_SECONDS = 86_400

/** Writes a date; beyond the year 9999 and before 0 with a sign.
 *  @param days since 1970-01-01, up to 10^12 either way */
export function dateText(days: number): string {
  // Howard Hinnant's civil_from_days: eras of 400 years from 0000-03-01 on, which is 719,468 days before 1970
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return `${yearText(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))}-${padded(month, 2)}-${padded(day, 2)}`
}

/** Writes a time of day. `undefined` when it is none; 24:00 is none.
 *  @param digits of a second: the unit is 10^-digits seconds */
export function timeText(units: number, digits: number): string | undefined {
  const perSecond = 10 ** digits
  return units >= 0 && units < DAY_SECONDS * perSecond ? clockText(units, digits, perSecond) : undefined
}

/** Writes a point in time without a zone; the caller adds a Z where one belongs.
 *  @param units since 1970-01-01T00:00, as a bigint where a number is not exact */
export function timestampText(units: number | bigint, digits: number): string {
  const perSecond = 10 ** digits
  const perDay = DAY_SECONDS * perSecond
  const [days, rest] = typeof units === 'number' ? split(units, perDay) : splitBig(units, perDay)
  return `${dateText(days)}T${clockText(rest, digits, perSecond)}`
}

/** Splits units into days and the rest. Division rounds in floating point, a remainder does not. */
function split(units: number, perDay: number): [days: number, rest: number] {
  const rest = units % perDay
  return rest < 0 ? [(units - rest) / perDay - 1, rest + perDay] : [(units - rest) / perDay, rest]
}

function splitBig(units: bigint, perDay: number): [days: number, rest: number] {
  const rest = Number(units % BigInt(perDay))
  const days = Number(units / BigInt(perDay))
  return rest < 0 ? [days - 1, rest + perDay] : [days, rest]
}

function clockText(sinceMidnight: number, digits: number, perSecond: number): string {
  const fraction = sinceMidnight % perSecond
  const seconds = (sinceMidnight - fraction) / perSecond
  const second = seconds % 60
  const minutes = (seconds - second) / 60
  const minute = minutes % 60
  return `${padded((minutes - minute) / 60, 2)}:${padded(minute, 2)}:${padded(second, 2)}.${padded(fraction, digits)}`
}

function yearText(year: number): string {
  if (year > 9999) return `+${year}`
  return year < 0 ? `-${padded(-year, 4)}` : padded(year, 4)
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
