// What the answers to the requests of an onboarding, A1 to A11 of the service document (docs/service-interface.md), must contain for it to
// go on. Other members are ignored.

import { z } from 'zod'
import type { HttpAnswer } from '../http/answer.ts'
import { jobsIn } from './jobs-in-body.ts'

/** Visible ASCII without a semicolon: it goes into a header and a cookie unchanged. */
const TOKEN = /^[!-:<-~]+$/

const id = z.int().positive()

/** The id of a job. It becomes a segment of a path, so it must not be empty, `.` or `..`. */
const jobId = z
  .union([z.string(), id])
  .transform(String)
  .refine((id) => id.isWellFormed() && !/^\.{0,2}$/.test(id) && id.length <= 200)

/** A1: log in. */
export const tokenAnswer = z.looseObject({
  access_token: z.string().regex(TOKEN),
  user_id: id,
  /** For how many seconds the token is valid. */
  expires_in: z.number(),
  refresh_token: z.unknown().optional(),
})

/** A2: create the client. */
export const signupAnswer = z.looseObject({ id: jobId })

/** A3: ask for the signup. */
export const signupJob = z.looseObject({
  id: z.unknown().optional(),
  status: z.string(),
  client_id: id.nullish(),
  pubkey: z.string().nullish(),
})

/** A4: create the user. `user_id`, not in the document, is the new user's (decisions.md#user-ids-come-from-the-answers-first). */
export const inviteAnswer = z.looseObject({ id, user_id: id.nullish().catch(null) })

/** A5: set the properties. The service document does not show it, so anything counts. */
export const updateAnswer = z.unknown()

/** A6: add the connection. */
export const connectionAnswer = z.looseObject({ id })

/** A7: list the connections. */
export const connectionList = z.array(z.looseObject({}))

/** A8: start the connection test. */
export const testAnswer = z.looseObject({ id: id.nullable() })

const job = z.looseObject({
  id: id.nullish(),
  status: z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]),
  type: z.looseObject({ id: z.int().nullish() }).nullish().catch(null),
})

/** A9: ask for the connection test. The service document does not show it: jobs-in-body.ts says what is accepted. */
export const jobList = z.preprocess(jobsIn, z.array(job))

/** A10: create the dashboards. */
export const dashboardsAnswer = z.looseObject({ id: jobId })

/** A11: ask for the dashboards. */
export const dashboardsJob = z.looseObject({ status: z.string(), job_id: z.unknown().optional() })

export type AccessTokenAnswer = z.output<typeof tokenAnswer>
export type SignupJob = z.output<typeof signupJob>
export type JobAnswer = z.output<typeof job>
export type ListedConnection = z.output<typeof connectionList>[number]
export type DashboardsJob = z.output<typeof dashboardsJob>

type ReadAnswer<T> = { readonly value: T } | { readonly problem: string }

/** Reads a body, which must be whole, by a schema. `problem`: what is missing or of the wrong type, in words that show no value. */
export function readAnswer<T>({ body }: HttpAnswer, schema: z.ZodType<T>): ReadAnswer<T> {
  let given: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    given = text.trim() === '' ? undefined : JSON.parse(text)
  } catch {
    return { problem: 'its body is not JSON' }
  }
  const read = schema.safeParse(given)
  if (read.success) return { value: read.data }
  return { problem: problemOf(read.error.issues[0]!, given) }
}

function problemOf({ path }: z.core.$ZodIssue, given: unknown): string {
  if (given === undefined) return 'its body is empty'
  const value = path.reduce<unknown>(
    (obj, step) => (typeof obj === 'object' && obj !== null ? (obj as Record<PropertyKey, unknown>)[step] : undefined),
    given,
  )
  const name = path.map(String).join('.')
  if (name === '') return `its body is ${kindOf(given)}`
  if (value === undefined) return `\`${name}\` is missing`
  return value === null ? `\`${name}\` is null` : `\`${name}\` is ${kindOf(value)} that cannot be used`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object'
}
