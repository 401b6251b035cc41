// Tells which members of a message, and of its `record`, the envelope looks at. Names are compared by length first: some runners write
// many more members, all null, of which hardly one needs its bytes compared.

import { isName, nameOf, type Name } from '../json/name.ts'

export const TYPE = nameOf('type')
export const RECORD = nameOf('record')
export const STATE = nameOf('state')
export const STREAM = nameOf('stream')
export const NAMESPACE = nameOf('namespace')
export const DATA = nameOf('data')
export const EMITTED_AT = nameOf('emitted_at')
export const META = nameOf('meta')

/** Names by their length, which is the index of a list of them. */
type Names = readonly (readonly Name[])[]

export const IN_MESSAGE = byLength([TYPE, RECORD, STATE, nameOf('trace')])
export const IN_RECORD = byLength([STREAM, NAMESPACE, DATA, EMITTED_AT, META, nameOf('file_reference')])

function byLength(names: readonly Name[]): Names {
  const longest = Math.max(...names.map(({ length }) => length))
  return Array.from({ length: longest + 1 }, (_, length) => names.filter((name) => name.length === length))
}

/** Tells which of the names stands at bytes[from, to), `from` as the scanner reports it. `undefined` when it is none of them. */
export function nameAt(bytes: Buffer, from: number, to: number, names: Names): Name | undefined {
  // a name with an escape (its `from` is negative) may be any of them
  if (from < 0) return names.flat().find((name) => isName(bytes, from, to, name))
  if (to - from >= names.length) return undefined
  const fitting = names[to - from]!
  for (let at = 0; at < fitting.length; at++) if (isName(bytes, from, to, fitting[at]!)) return fitting[at]
  return undefined
}
