// The bench's messages: flat JSON of exactly 200 bytes, the same on every run. Knows no topic.

import type { Random } from '../random.ts'
import { smallRecord } from '../records.ts'

export const MESSAGE_BYTES = 200
/** How many values the field `kind` has: k0, k1 and so on, one after another. */
export const KINDS = 200

const NAME = ',"comment":"'
const END = '"}'

/** @param id its key, at most seven digits */
export function messageText(id: number, random: Random): string {
  const start = `${smallRecord(id, random).slice(0, -1)},"kind":"k${id % KINDS}"${NAME}`
  const missing = MESSAGE_BYTES - start.length - END.length
  if (missing < 0) throw new RangeError(`a message of id ${id} is longer than ${MESSAGE_BYTES} bytes`)
  let comment = ''
  while (comment.length < missing)
    comment += random
      .below(2 ** 32)
      .toString(36)
      .padStart(7, '0')
  return start + comment.slice(0, missing) + END
}
