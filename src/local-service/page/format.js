// How numbers, times and odd characters are written. Pure.

const NUMBER = new Intl.NumberFormat('en')
const RATE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
/** Characters of a name that are drawn. */
const MAX_NAME = 200

/** Control characters, marks that turn the direction of writing, and lone surrogates. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** @param {number} value */
export function count(value) {
  return NUMBER.format(value)
}

/** @param {number} value */
export function decimal(value) {
  return RATE.format(value)
}

/** @param {number} value @param {string} noun */
export function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** @param {number} value */
export function bytes(value) {
  if (value < 1024) return `${value} B`
  if (value < 1024 ** 2) return `${RATE.format(value / 1024)} KiB`
  return `${RATE.format(value / 1024 ** 2)} MiB`
}

/** The name of a field where it is drawn. @param {string} name */
export function nameText(name) {
  if (name === '') return '""'
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name
}

/** @param {number} at milliseconds since 1970 */
export function clock(at) {
  return TIME.format(at)
}

/** The time of today, the day of any other. @param {number | null} at milliseconds since 1970 */
export function when(at) {
  if (at === null) return ''
  return new Date(at).toDateString() === new Date().toDateString()
    ? clock(at)
    : new Date(at).toLocaleDateString('en-CA')
}

/** The time, of another day than today with the day. @param {number} at milliseconds since 1970 */
export function moment(at) {
  const day = when(at)
  return day === clock(at) ? day : `${day} ${clock(at)}`
}

/** Characters that nobody sees, or that turn others round, become `\u{…}`. @param {string} text */
export function visible(text) {
  return text.replaceAll(HIDDEN, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
