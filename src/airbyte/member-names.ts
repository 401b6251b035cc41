// The member names of Airbyte messages that this connector looks at.

import { isName, nameOf } from '../json/name.ts'
import type { Name } from '../json/name.ts'

export const TYPE = nameOf('type')
export const RECORD = nameOf('record')
export const STATE = nameOf('state')
const TRACE = nameOf('trace')
export const STREAM = nameOf('stream')
export const NAMESPACE = nameOf('namespace')
export const NAME = nameOf('name')
export const DATA = nameOf('data')
export const EMITTED_AT = nameOf('emitted_at')
export const META = nameOf('meta')
const FILE_REFERENCE = nameOf('file_reference')
export const STREAM_DESCRIPTOR = nameOf('stream_descriptor')
export const STREAM_STATUS = nameOf('stream_status')
export const STATUS = nameOf('status')
export const DESTINATION_STATS = nameOf('destinationStats')

/** The member of a message that is looked at and has the name at bytes[from, to), `from` as the scanner reports it. `undefined` when it
 *  is another one. By length first: of a runner's many null members hardly one needs its bytes compared. */
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

/** The same of a member of `record`. */
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
