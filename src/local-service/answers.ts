// Makes the answers of the local service, whose bodies are JSON (decisions.md#every-local-answer-is-json).

import type { ErrorAnswer } from '../service/contract.ts'
import type { Answer } from './types.ts'

/** The `message` of an error, by its status. */
const MEANING: Readonly<Record<number, string>> = {
  200: 'request successful',
  201: 'new data was added by the request',
  400: 'bad request',
  401: 'authorization failed',
  403: 'forbidden',
  404: 'the resource does not exist',
  413: 'the body is too large',
  429: 'too many requests',
  500: 'server error',
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. `at`: milliseconds since 1970. */
export function timestamp(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}

function meaningOf(status: number): string {
  const known = MEANING[status]
  if (known !== undefined) return known
  if (status < 400) return 'request successful'
  return status < 500 ? 'bad request' : 'server error'
}

/** A success that carries a message instead of data. `members` go into the body too, beside `code` and `message`. */
export function done(message: string, status = 200, members: object = {}): Answer {
  return { status, body: htmlSafeJson({ code: status, message, ...members }) }
}

/** The answer to an accepted upsert, with `now` (milliseconds since 1970) as `created_at`. */
export function accepted(status: number, message: string, now: number): Answer {
  return done(message, status, { status: 'complete', created_at: timestamp(now) })
}

/** An error, with at least one reason. */
export function refusal(
  status: number,
  reasons: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers, body: htmlSafeJson(errorBody(status, reasons)), reasons }
}

export function errorBody(status: number, reasons: readonly string[]): ErrorAnswer {
  return { code: status, message: meaningOf(status), reasons }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
}

/** Writes JSON without `<`, `>` and `&`: it has no markup, even where it is taken for HTML, as `serve --compat` labels some answers. */
export function htmlSafeJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[<>&]/g, (character) => ESCAPES[character]!)
}

/** A success that carries data: an object or an array. */
export function json(status: 200 | 201, value: object): Answer {
  return { status, body: htmlSafeJson(value) }
}
