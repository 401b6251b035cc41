// A body that must be JSON of a certain shape, or why it is refused. Reasons never show a value: it may be a password.

import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { refusal } from '../answers.ts'
import { mustBe, readJsonBody } from '../json-body.ts'
import type { ReadOrRefused } from '../json-body.ts'
import { percentDecoded } from '../read-request.ts'
import type { ReadBody } from '../read-request.ts'

/** The part of a request that is read here. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: ReadBody
}

const TEXT = mustBe('a string')
const WHOLE = mustBe('a whole number')

// The types that the service document's tables are written in.
export const text = z.string(TEXT)
export const filledText = z.string(mustBe('a string that is not empty')).min(1, mustBe('a string that is not empty'))
export const textOrNull = z.string(mustBe('a string or null')).nullable()
export const wholeNumber = z.int(WHOLE)
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
export function bytesOf(body: Received['body'], type: string | undefined, wanted: string): ReadOrRefused<Buffer> {
  if (body.kind === 'too-large') {
    return { refused: refusal(413, [`the body is larger than ${body.max} bytes`]) }
  }
  if (type?.split(';', 1)[0]!.trim().toLowerCase() === wanted) return { value: body.bytes }
  const found = type === undefined ? 'it is missing' : 'it is not'
  return { refused: refusal(400, [`the header Content-Type must be ${wanted}: ${found}`]) }
}

/** What a field must hold: one whole number, or any. */
export type WantedField = number | 'whole'

/** The whole numbers of the fields in `wanted`; other fields are ignored. A reason for each that is missing, occurs twice
 *  or holds something else. */
export function readForm<N extends string>(
  { headers, body }: Received,
  wanted: Readonly<Record<N, WantedField>>,
): ReadOrRefused<Record<N, number>> {
  const bytes = bytesOf(body, headers['content-type'], 'application/x-www-form-urlencoded')
  if ('refused' in bytes) return bytes
  const fields = fieldsIn(bytes.value)
  if (fields === undefined) return { refused: refusal(400, ['the body is not a form in UTF-8, percent-encoded']) }
  const value: Partial<Record<N, number>> = {}
  const reasons: string[] = []
  for (const name of Object.keys(wanted) as N[]) {
    const number = numberIn(fields.get(name) ?? [], wanted[name])
    if (typeof number === 'string') reasons.push(`${name} ${number}`)
    else value[name] = number
  }
  return reasons.length > 0 ? { refused: refusal(400, reasons) } : { value: value as Record<N, number> }
}

/** The number, or what is wrong. */
function numberIn(values: readonly string[], wanted: WantedField): number | string {
  if (values.length === 0) return 'is missing'
  if (values.length > 1) return 'is there more than once'
  const number = /^(?:0|-?[1-9]\d*)$/.test(values[0]!) ? Number(values[0]) : Number.NaN
  const isRight = Number.isSafeInteger(number) && (wanted === 'whole' || number === wanted)
  return isRight ? number : `must be ${wanted === 'whole' ? 'a whole number' : wanted}`
}

/** Fields of a form. `undefined` when the body is none. */
function fieldsIn(bytes: Buffer): ReadonlyMap<string, readonly string[]> | undefined {
  const text = utf8(bytes)
  if (text === undefined) return undefined
  const fields = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    const others = fields.get(name)
    if (others === undefined) fields.set(name, [value])
    else others.push(value)
  }
  return fields
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decoded(text: string): string | undefined {
  return percentDecoded(text.replaceAll('+', ' '))
}
