// A name from a user's file as a message may show it. Pure.

/** One line, without what would end a quotation in backticks; cut behind `most` characters. */
export function shownName(name: string, most = 60): string {
  // oxlint-disable-next-line no-control-regex
  const text = name.replace(/[\u0000-\u001f\u007f-\u009f`\u2028\u2029]/g, '?')
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text.toWellFormed()
}
