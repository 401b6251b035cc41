// How many columns of a terminal a text takes: two for wide East Asian characters and emoji, none for combining marks and joiners.

const NO_COLUMN = /[\p{M}\p{Cf}]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) if (!NO_COLUMN.test(character)) width += WIDE.test(character) ? 2 : 1
  return width
}

/** Returns the longest beginning of a text, in whole characters, that takes no more than `columns`. */
export function beginning(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of text) {
    width += displayWidth(character)
    if (width > columns) break
    end += character.length
  }
  return text.slice(0, end)
}
