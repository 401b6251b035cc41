// The bench's messages: flat JSON of exactly 200 bytes, the same on every run. Knows no topic.

import type { Random } from '../random.ts'
import { CITIES, smallRecord } from '../records.ts'

export const MESSAGE_BYTES = 200
/** A field of few values, which a topic can be routed by. */
export const KIND = { field: 'city', values: CITIES } as const

const NAME = ',"comment":"'
const END = '"}'

/** @param id its key, at most seven digits */
export function messageText(id: number, random: Random): string {
  const start = smallRecord(id, random).slice(0, -1) + NAME
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
