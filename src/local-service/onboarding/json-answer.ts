// An answer that is a JSON value. Knows no endpoint.

import { htmlSafeJson } from '../own-json.ts'
import type { Answer } from '../types.ts'

/** `value`: an object or an array. */
export function json(status: 200 | 201, value: object): Answer {
  return { status, body: htmlSafeJson(value) }
}
