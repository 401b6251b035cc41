// Where a text stops being JSON, and what is most often meant there. Builds nothing, never quotes the text; what JSON.parse says
// of a place is not always there, and its words hold the text.

/** White space, then a mark, a text, or a number or word. */
const TOKEN =
  // oxlint-disable-next-line no-control-regex
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/y

export interface JsonFault {
  /** From 1; the column counts UTF-16 units. */
  readonly line: number
  readonly column: number
  /** What to do, in a few words; '': nobody can know. */
  readonly hint: string
}

/** undefined: it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const at = faultAt(text)
  if (at === undefined) return undefined
  const before = text.slice(0, at)
  const lines = before.split('\n')
  return { line: lines.length, column: lines.at(-1)!.length + 1, hint: hintAt(text, at) }
}

type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'more' | 'end'

function faultAt(text: string): number | undefined {
  const open: string[] = []
  let state: State = 'value'
  let at = 0
  while (state !== 'end') {
    TOKEN.lastIndex = at
    const [whole = '', mark, name, scalar] = TOKEN.exec(text) ?? []
    const next: State | undefined = followed(state, open, mark ?? (name === undefined ? scalar && 'scalar' : 'text'))
    if (next === undefined) return at + /^[ \t\r\n]*/.exec(text.slice(at))![0].length
    at += whole.length
    state = next
  }
  const rest = text.slice(at).search(/[^ \t\r\n]/)
  return rest < 0 ? undefined : at + rest
}

/** @param open the brackets around, changed
 *  @returns undefined: this cannot come next */
function followed(state: State, open: string[], token: string | undefined): State | undefined {
  const isClosing =
    (token === '}' && open.at(-1) === '{' && (state === 'more' || state === 'first name')) ||
    (token === ']' && open.at(-1) === '[' && (state === 'more' || state === 'first value'))
  if (isClosing) {
    open.pop()
    return open.length === 0 ? 'end' : 'more'
  }
  if (state === 'value' || state === 'first value') {
    if (token === '{' || token === '[') {
      open.push(token)
      return token === '{' ? 'first name' : 'first value'
    }
    if (token !== 'text' && token !== 'scalar') return undefined
    return open.length === 0 ? 'end' : 'more'
  }
  if (state === 'name' || state === 'first name') return token === 'text' ? 'colon' : undefined
  if (state === 'colon') return token === ':' ? 'value' : undefined
  if (token !== ',') return undefined
  return open.at(-1) === '{' ? 'name' : 'value'
}

function hintAt(text: string, at: number): string {
  const rest = text.slice(at, at + 8)
  const before = text.slice(0, at).trimEnd()
  if (rest === '') return 'the text ends too early'
  if (before === '') return 'a JSON object begins with {'
  if (/^[}\]]/.test(rest) && before.endsWith(',')) return 'take out the comma before it'
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'JSON has no comments'
  if (/^['\u2018-\u201f]/.test(rest)) return 'texts stand in straight double quotes'
  if (/^(?:True|False|None)\b/.test(rest)) return 'JSON writes true, false and null'
  if (/^["\w]/.test(rest) && /["\d}\]el]$/.test(before)) return 'a comma is missing before it'
  return ''
}
