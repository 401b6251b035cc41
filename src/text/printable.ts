// Text from outside, for a terminal.

// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Without control characters, line breaks and turns of writing direction: names may hold anything. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '?').toWellFormed()
}
