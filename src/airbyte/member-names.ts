// Tells the members of a message and of its `record` that the envelope looks at. By length first: of a runner's many null members
// hardly one needs its bytes compared.

import { isName, nameOf, type Name } from '../json/name.ts'

export const TYPE = nameOf('type')
export const RECORD = nameOf('record')
export const STATE = nameOf('state')
const TRACE = nameOf('trace')
export const STREAM = nameOf('stream')
export const NAMESPACE = nameOf('namespace')
export const DATA = nameOf('data')
export const EMITTED_AT = nameOf('emitted_at')
export const META = nameOf('meta')
const FILE_REFERENCE = nameOf('file_reference')

/** Tells which member of a message has the name at bytes[from, to), `from` as the scanner reports it. `undefined` when it is one that
 *  is not looked at. */
export function topMember(bytes: Buffer, from: number, to: number): Name | undefined {
  if (from < 0) return spelt(bytes, from, to, TOP)
  switch (to - from) {
    case 4:
      return isName(bytes, from, to, TYPE) ? TYPE : undefined
    case 5:
      if (isName(bytes, from, to, STATE)) return STATE
      return isName(bytes, from, to, TRACE) ? TRACE : undefined
    case 6:
      return isName(bytes, from, to, RECORD) ? RECORD : undefined
    default:
      return undefined
  }
}

/** Tells which member of `record` has the name at bytes[from, to), as `topMember` does. */
export function recordMember(bytes: Buffer, from: number, to: number): Name | undefined {
  if (from < 0) return spelt(bytes, from, to, IN_RECORD)
  switch (to - from) {
    case 4:
      if (isName(bytes, from, to, DATA)) return DATA
      return isName(bytes, from, to, META) ? META : undefined
    case 6:
      return isName(bytes, from, to, STREAM) ? STREAM : undefined
    case 9:
      return isName(bytes, from, to, NAMESPACE) ? NAMESPACE : undefined
    case 10:
      return isName(bytes, from, to, EMITTED_AT) ? EMITTED_AT : undefined
    case 14:
      return isName(bytes, from, to, FILE_REFERENCE) ? FILE_REFERENCE : undefined
    default:
      return undefined
  }
}

const TOP = [TYPE, RECORD, STATE, TRACE]
const IN_RECORD = [STREAM, NAMESPACE, DATA, EMITTED_AT, META, FILE_REFERENCE]

/** A name that holds a backslash. */
function spelt(bytes: Buffer, from: number, to: number, names: readonly Name[]): Name | undefined {
  return names.find((name) => isName(bytes, from, to, name))
}
