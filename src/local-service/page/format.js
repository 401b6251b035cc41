// Writes numbers, times and odd characters as the page shows them.

const NUMBER = new Intl.NumberFormat('en')
const RATE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** Most characters of a field's name that are drawn. */
const MAX_NAME = 200

/** Control characters, marks that change the direction of writing, and lone surrogates. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Writes a whole number: `1,234`. @param {number} value */
export function count(value) {
  return NUMBER.format(value)
}

/** Writes a number with at most one decimal place: `1.5`. @param {number} value */
export function decimal(value) {
  return RATE.format(value)
}

/** Writes a number of things: `1 row`, `2 rows`. @param {number} value @param {string} noun in the singular */
export function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Writes a size: `1.5 KiB`. @param {number} value in bytes */
export function bytes(value) {
  if (value < 1024) return `${value} B`
  if (value < 1024 ** 2) return `${RATE.format(value / 1024)} KiB`
  return `${RATE.format(value / 1024 ** 2)} MiB`
}

/** The name of a field as it is drawn: cut, and an empty one as `""`. @param {string} name */
export function nameText(name) {
  if (name === '') return '""'
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name
}

/** Writes a time of day: `13:05:09`. @param {number} at milliseconds since 1970 */
export function clock(at) {
  return TIME.format(at)
}

/** The time if it was today, else the day alone. @param {number | null} at milliseconds since 1970; null when not known */
export function when(at) {
  if (at === null) return ''
  return new Date(at).toDateString() === new Date().toDateString()
    ? clock(at)
    : new Date(at).toLocaleDateString('en-CA')
}

/** The time, with the day in front if that was not today. @param {number} at milliseconds since 1970 */
export function moment(at) {
  const timeOrDay = when(at)
  return timeOrDay === clock(at) ? timeOrDay : `${timeOrDay} ${clock(at)}`
}

/** Writes invisible characters, and those that change the direction of others, as `\u{…}`. @param {string} text */
export function visible(text) {
  return text.replaceAll(HIDDEN, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
