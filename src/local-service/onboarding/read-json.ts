// The bodies of the onboarding endpoints: their content type, and the types that the service document's tables are written in.

import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { formValues, mustBe, readJsonBody, readValue, refusedWith } from '../json-body.ts'
import type { ReadOrRefused } from '../json-body.ts'
import { contentTypeFault } from './header-faults.ts'
import type { ReadBody } from '../read-request.ts'

/** The part of a request that is read here. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: ReadBody
}

const TEXT = mustBe('a string')
const WHOLE = mustBe('a whole number')

export const text = z.string(TEXT)
export const filledText = z.string(mustBe('a string that is not empty')).min(1, mustBe('a string that is not empty'))
export const textOrNull = z.string(mustBe('a string or null')).nullable()
export const wholeNumber = z.int(WHOLE)
/** A whole number in a form. */
export const digits = z
  .string(WHOLE)
  .regex(/^(?:0|-?[1-9]\d{0,14})$/, WHOLE)
  .transform(Number)
export const flag = z.boolean(mustBe('true or false'))

/** Members that `shape` does not list are left out of the value (decisions.md#members-not-listed-are-ignored). */
export function members<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> {
  return z.object(shape, mustBe('an object'))
}

export function only<const T extends string | number>(value: T): z.ZodLiteral<T> {
  return z.literal(value, mustBe(JSON.stringify(value)))
}

export function readJson<T>({ headers, body }: Received, schema: z.ZodType<T>): ReadOrRefused<T> {
  const bytes = bytesOf(body, headers['content-type'], 'application/json')
  if ('refused' in bytes) return bytes
  return readJsonBody({ kind: 'body', bytes: bytes.value }, schema)
}

/** The body's bytes, when it has the content type `wanted`, whatever the type's parameters. */
function bytesOf(body: Received['body'], type: string | undefined, wanted: string): ReadOrRefused<Buffer> {
  if (body.kind === 'too-large') {
    return refusedWith(413, `the body is larger than ${body.max} bytes`)
  }
  const fault = contentTypeFault(type, wanted)
  return fault === undefined ? { value: body.bytes } : refusedWith(400, `the header Content-Type ${fault}`)
}

/** Reads a form whose fields are texts. A field that occurs twice is a list. */
export function readForm<T>({ headers, body }: Received, schema: z.ZodType<T>): ReadOrRefused<T> {
  const bytes = bytesOf(body, headers['content-type'], 'application/x-www-form-urlencoded')
  if ('refused' in bytes) return bytes
  return readValue(formValues(bytes.value.toString()), schema)
}
