// Text from outside, for a terminal.

/** Without control characters, line breaks included: names may hold anything. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '?').toWellFormed()
}
