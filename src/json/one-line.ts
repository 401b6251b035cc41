// A value as JSON that stays one line for every reader.

/** Some readers end a line at these too; JSON.stringify leaves them as they are. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** @returns JSON text without any line end in it */
export function oneLine(value: object): string {
  return escapeLineEnds(JSON.stringify(value))
}

/** @param json JSON text: what it stands for stays the same */
export function escapeLineEnds(json: string): string {
  return json.replace(LINE_ENDS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
