// Text of any length, in a message.

/** At most so many characters, the last one `…` if some were left out. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text
}
