// Where things stand in a text that JSON.parse accepts: written without a look at the connector's own scanner, slowly and
// plainly, to be compared with it. A text is latin1, one character a byte, so that its places are places of bytes.

export interface Range {
  readonly from: number
  readonly to: number
}

/** A member of an object: the range of its value. */
export interface Member extends Range {
  /** Escapes resolved. */
  readonly name: string
  /** Inside the quotes. */
  readonly spelt: Range
}

const SCALAR = /[-+.\w]+/y

/** The members of the object that begins at `at`, in order, those that occur twice too. */
export function membersOf(text: string, at: number): Member[] {
  const members: Member[] = []
  let next = afterSpace(text, at + 1)
  while (text[next] !== '}') {
    const spelt = { from: next + 1, to: stringEnd(text, next) - 1 }
    const from = afterSpace(text, afterSpace(text, spelt.to + 1) + 1)
    const to = valueEnd(text, from)
    members.push({ name: textOf(text, spelt), spelt, from, to })
    next = afterSpace(text, to)
    if (text[next] === ',') next = afterSpace(text, next + 1)
  }
  return members
}

/** What a string says. @param spelt inside its quotes */
export function textOf(text: string, { from, to }: Range): string {
  return JSON.parse(Buffer.from(text.slice(from - 1, to + 1), 'latin1').toString()) as string
}

/** Levels of the value in a range: 0 for a scalar, 1 for []. */
export function depthOf(text: string, { from, to }: Range): number {
  let [depth, deepest] = [0, 0]
  for (let at = from; at < to;) {
    const c = text[at]
    if (c === '"') at = stringEnd(text, at)
    else {
      if (c === '{' || c === '[') deepest = Math.max(deepest, ++depth)
      else if (c === '}' || c === ']') depth--
      at++
    }
  }
  return deepest
}

/** The first character from `at` on that is no white space. */
export function afterSpace(text: string, at: number): number {
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r' || text[at] === '\n') at++
  return at
}

function valueEnd(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return stringEnd(text, from)
  if (first !== '{' && first !== '[') {
    SCALAR.lastIndex = from
    return from + SCALAR.exec(text)![0].length
  }
  let depth = 0
  for (let at = from; ;) {
    const c = text[at]
    if (c === '"') {
      at = stringEnd(text, at)
      continue
    }
    at++
    if (c === '{' || c === '[') depth++
    else if ((c === '}' || c === ']') && --depth === 0) return at
  }
}

/** Behind the closing quote. */
function stringEnd(text: string, quote: number): number {
  let at = quote + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
