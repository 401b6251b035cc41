// A member name that is looked for, and its comparison with names as they stand in a text, bytes against bytes.

import { decodeString } from './decode-string.ts'

/** A wanted name. `utf8` is undefined when the text holds a lone surrogate: no unescaped name can equal it. */
export interface Name {
  readonly text: string
  readonly utf8: Uint8Array | undefined
}

export function nameOf(text: string): Name {
  return { text, utf8: text.isWellFormed() ? Buffer.from(text) : undefined }
}

/** Is the name at bytes[nameFrom, nameTo), as the scanner reports it (~nameFrom: it holds a backslash), this one? */
export function isName(bytes: Buffer, nameFrom: number, nameTo: number, name: Name): boolean {
  if (nameFrom < 0) return decodeString(bytes, ~nameFrom, nameTo) === name.text
  const wanted = name.utf8
  if (wanted === undefined || wanted.length !== nameTo - nameFrom) return false
  for (let i = 0; i < wanted.length; i++) if (bytes[nameFrom + i] !== wanted[i]) return false
  return true
}
