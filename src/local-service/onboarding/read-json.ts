// Reads the bodies of onboarding requests and checks their headers. Has the schemas for types that the service document names.

import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import {
  formValues,
  mustBe,
  readBytes,
  readJsonBody,
  readValue,
  refusedWith,
  type ReadOrRefused,
} from '../json-body.ts'
import type { ReadBody } from '../read-request.ts'

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
/** A whole number in a form, where all values are texts. */
export const digits = z
  .string(WHOLE)
  .regex(/^(?:0|-?[1-9]\d{0,14})$/, WHOLE)
  .transform(Number)
export const flag = z.boolean(mustBe('true or false'))

/** The schema of an object. Members that `shape` does not list are left out of the value (decisions.md#members-not-listed-are-ignored). */
export function members<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> {
  return z.object(shape, mustBe('an object'))
}

/** The schema of a member that must have this value. */
export function only<const T extends string | number>(value: T): z.ZodLiteral<T> {
  return z.literal(value, mustBe(JSON.stringify(value)))
}

/** Reads a JSON body. Refuses with 400 or 413. */
export function readJson<T>(received: Received, schema: z.ZodType<T>): ReadOrRefused<T> {
  return typeRefusal(received, 'application/json') ?? readJsonBody(received.body, schema)
}

/** Reads a form. A field that occurs twice is a list, which the schema of a text refuses. Refuses with 400 or 413. */
export function readForm<T>(received: Received, schema: z.ZodType<T>): ReadOrRefused<T> {
  const bytes = typeRefusal(received, 'application/x-www-form-urlencoded') ?? readBytes(received.body)
  return 'refused' in bytes ? bytes : readValue(formValues(bytes.value.toString()), schema)
}

/** The refusal of a body of another content type. `undefined` when it has the one wanted, or will be refused as too large. */
function typeRefusal({ headers, body }: Received, wanted: string) {
  const fault = body.kind === 'body' ? contentTypeFault(headers['content-type'], wanted) : undefined
  return fault === undefined ? undefined : refusedWith(400, `the header Content-Type ${fault}`)
}

const NAMES = { accept: 'Accept', 'content-type': 'Content-Type', referer: 'Referer' } as const

/** Checks headers that the service document asks for, but for those that identify the caller (service-interface.md#onboarding-requests).
 *  @param wanted `content-type` only where there is no body: else readJson and readForm check it
 *  @returns a reason for each that is missing or wrong */
export function headerFaults(headers: IncomingHttpHeaders, wanted: readonly (keyof typeof NAMES)[]): string[] {
  const { accept, referer, 'content-type': type } = headers
  const faults = {
    'content-type': contentTypeFault(type, 'application/json'),
    accept: accept === undefined ? 'is missing' : admitsJson(accept) ? undefined : 'must admit application/json',
    referer: referer === undefined ? 'is missing' : isPage(referer) ? undefined : 'must be the address of a page',
  }
  return wanted.flatMap((name) => (faults[name] === undefined ? [] : [`the header ${NAMES[name]} ${faults[name]}`]))
}

/** The media ranges of Accept that take in JSON. */
const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*'])

function admitsJson(accept: string): boolean {
  return accept.split(',').some((part) => {
    const [range, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return JSON_RANGES.has(range!) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Says what is wrong with a Content-Type. `undefined` when it is the wanted one, with whatever parameters. */
function contentTypeFault(type: string | undefined, wanted: string): string | undefined {
  if (type === undefined) return `must be ${wanted}: it is missing`
  return type.split(';', 1)[0]!.trim().toLowerCase() === wanted ? undefined : `must be ${wanted}: it is not`
}

function isPage(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
