// What is kept in place of a secret that is long and random.

import { createHash } from 'node:crypto'

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
