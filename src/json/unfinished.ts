// Whether JSON was cut off: more bytes could make it whole.

import { Scanner } from './scanner.ts'

const LITERALS = ['true', 'false', 'null']

const scanner = new Scanner(1)

/** Whether the end is all that is wrong with bytes[from, …), and a value has begun there. What is no UTF-8 within a string is
 *  not looked at. */
export function isUnfinished(bytes: Uint8Array, from: number): boolean {
  if (endsEarly(bytes, from)) return true
  // the scanner takes half a literal for a fault at its first byte
  const rest = restOfLiteral(bytes)
  return rest !== '' && endsEarly(Buffer.concat([bytes, Buffer.from(rest)]), from)
}

function endsEarly(bytes: Uint8Array, from: number): boolean {
  scanner.start(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), from, bytes.length)
  if (scanner.at === bytes.length) return false
  scanner.skip()
  return !scanner.finish() && scanner.failedAt === bytes.length
}

/** What makes bytes that end in the middle of `true`, `false` or `null` end behind it. */
function restOfLiteral(bytes: Uint8Array): string {
  const letters = /[a-z]+$/.exec(Buffer.from(bytes.subarray(-5)).toString('latin1'))?.[0] ?? ''
  return letters === '' ? '' : (LITERALS.find((literal) => literal.startsWith(letters))?.slice(letters.length) ?? '')
}
