// Whether a JSON text has a name twice in one object: JSON.parse takes the last without a word. Builds nothing.

/** A text, and what of marks tells objects and their names. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g

export interface RepeatedName {
  /** Of the second one, from 1. */
  readonly line: number
  readonly name: string
}

/** The first of them. @param text JSON.parse takes it */
export function repeatedName(text: string): RepeatedName | undefined {
  const open: Set<string>[] = []
  for (const { 0: token, 1: quoted, 2: colon, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (quoted !== undefined && colon !== undefined) {
      const name = JSON.parse(quoted) as string
      const names = open.at(-1)!
      if (names.has(name)) return { line: text.slice(0, index).split('\n').length, name }
      names.add(name)
    }
  }
  return undefined
}
