// What the answers of the onboarding interface must contain for an onboarding to go on (docs/service-interface.md).
// Other members are ignored. What each of A1 to A11 does, ENDPOINT_WORDS of onboarding-outcome.ts says.

import { z } from 'zod'
import type { HttpAnswer } from '../http/answer.ts'
import { jobsIn } from './jobs-in-body.ts'

/** Visible ASCII without a semicolon: it goes into a header and a cookie unchanged. */
const TOKEN = /^[!-:<-~]+$/

const id = z.int().positive()

/** The id of a job. It becomes one segment of a path, which `.` and `..` would not. */
const jobId = z
  .union([z.string(), id])
  .transform(String)
  .refine((id) => id.isWellFormed() && !/^\.{0,2}$/.test(id) && id.length <= 200)

/** A1. */
export const tokenAnswer = z.looseObject({
  access_token: z.string().regex(TOKEN),
  user_id: id,
  /** Seconds. */
  expires_in: z.number(),
  refresh_token: z.unknown().optional(),
})

/** A2. */
export const signupAnswer = z.looseObject({ id: jobId })

/** A3. */
export const signupJob = z.looseObject({
  id: z.unknown().optional(),
  status: z.string(),
  client_id: id.nullish(),
  pubkey: z.string().nullish(),
})

/** A4. `user_id`: not in the service document; if present, the user's own id
 *  (decisions.md#user-ids-come-from-the-answers-first). */
export const inviteAnswer = z.looseObject({ id, user_id: id.nullish().catch(null) })

/** A5: not in the service document. */
export const updateAnswer = z.unknown()

/** A6. */
export const connectionAnswer = z.looseObject({ id })

/** A7. */
export const connectionList = z.array(z.looseObject({}))

/** A8. */
export const testAnswer = z.looseObject({ id: id.nullable() })

const job = z.looseObject({
  id: id.nullish(),
  status: z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]),
  type: z.looseObject({ id: z.int().nullish() }).nullish().catch(null),
})

/** A9: not in the service document. Accepts a list of jobs or a single one, each also in an envelope. */
export const jobList = z.preprocess(jobsIn, z.array(job))

/** A10. */
export const dashboardsAnswer = z.looseObject({ id: jobId })

/** A11. */
export const dashboardsJob = z.looseObject({ status: z.string(), job_id: z.unknown().optional() })

export type AccessTokenAnswer = z.output<typeof tokenAnswer>
export type SignupJob = z.output<typeof signupJob>
export type JobAnswer = z.output<typeof job>
export type ListedConnection = z.output<typeof connectionList>[number]
export type DashboardsJob = z.output<typeof dashboardsJob>

type ReadAnswer<T> = { readonly value: T } | { readonly problem: string }

/** Checks a whole body against a schema. `problem`: what is missing or of the wrong type; never a value. */
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
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined),
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
