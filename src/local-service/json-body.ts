// A body that is to be JSON, for the paths under /_local. Knows nothing of what it should hold.

import { refusal } from './answers.ts'
import type { RequestBody } from './read-body.ts'
import type { Answer } from './types.ts'

export type JsonBody = { readonly value: unknown } | { readonly refused: Answer }

export function jsonBody(body: Exclude<RequestBody, { kind: 'aborted' }>): JsonBody {
  if (body.kind === 'too-large') return { refused: refusal(413, [`the body is larger than ${body.max} bytes`]) }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes)) }
  } catch {
    return { refused: refusal(400, ['the body is not valid JSON in UTF-8']) }
  }
}
