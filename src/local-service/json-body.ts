// Reads the body of a request as JSON of a certain shape, or makes the answer that says all that is wrong with it. Reasons never show a
// value, as it may be a password. `/_local` and the onboarding endpoints read their bodies with it.

import type { z } from 'zod'
import { parseJson } from '../json/true-names.ts'
import { refusal } from './answers.ts'
import type { ReadBody } from './read-request.ts'
import type { Answer } from './types.ts'

/** The value that was read from a request, or the answer that refuses the request. */
export type ReadOrRefused<T> = { readonly value: T } | { readonly refused: Answer }

/** The result of a read that refuses for one reason. */
export function refusedWith(status: number, reason: string): { readonly refused: Answer } {
  return { refused: refusal(status, [reason]) }
}

/** The error option of a zod schema, whose text says that the member is missing, or must be `what`. */
export function mustBe(what: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? 'is missing' : `must be ${what}`) }
}

/** The bytes of a body. Refuses with 413. */
export function readBytes(body: ReadBody): ReadOrRefused<Buffer> {
  if (body.kind === 'body') return { value: body.bytes }
  return refusedWith(413, `the body is larger than ${body.max} bytes`)
}

/** Reads a body, whatever its content type. Refuses with 413 or 400. */
export function readJsonBody<T>(body: ReadBody, schema: z.ZodType<T>): ReadOrRefused<T> {
  const bytes = readBytes(body)
  if ('refused' in bytes) return bytes
  let value: unknown
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes.value))
  } catch {
    return refusedWith(400, 'the body is not valid JSON in UTF-8')
  }
  return readValue(value, schema)
}

/** Checks a value that has been parsed already. Refuses with 400 what the schema does not take. */
export function readValue<T>(value: unknown, schema: z.ZodType<T>): ReadOrRefused<T> {
  const reading = schema.safeParse(value)
  return reading.success ? { value: reading.data } : { refused: refusal(400, reasonsOf(reading.error)) }
}

/** Reasons, at least one, each with the member that it is about. */
function reasonsOf(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) => {
    const place = issue.path.join('.')
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${[...issue.path, key].join('.')} is unknown`)
    return [`${place === '' ? 'the body' : place} ${issue.message}`]
  })
}

/** The fields of a form or a query by name. One that occurs twice is a list (of name and value each), which a schema for a text refuses. */
export function formValues(text: string): object {
  const byName = Map.groupBy(new URLSearchParams(text), ([name]) => name)
  return Object.fromEntries(Array.from(byName, ([name, pairs]) => [name, pairs.length === 1 ? pairs[0]![1] : pairs]))
}
