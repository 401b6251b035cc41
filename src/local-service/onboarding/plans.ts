// The plans of interface A (onboarding): how jobs that start now will go, by their kind, and where the list of connections shows a status.

import { z } from 'zod'
import type { JobPlan, JobProgress } from './progress.ts'
import { mustBe } from '../json-body.ts'
import { filledText } from './read-json.ts'

export const JOB_KINDS = ['signup', 'connection', 'connectionTest', 'dashboards'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** The member of a listed connection that says how far it is (decisions.md#a-listed-connection-is-done); `none`: no member does. */
const STATUS_PLACES = ['integration_type.pipeline_state', 'status', 'status.name', 'none'] as const
export type StatusPlace = (typeof STATUS_PLACES)[number]

export type Plans = { readonly [K in JobKind]: JobPlan } & { readonly connectionStatus: StatusPlace }

const USUAL_PLAN: JobPlan = { durationMs: 1000, outcome: 'completed' }

export const DEFAULT_PLANS: Plans = {
  signup: USUAL_PLAN,
  connection: USUAL_PLAN,
  connectionTest: USUAL_PLAN,
  dashboards: USUAL_PLAN,
  connectionStatus: 'integration_type.pipeline_state',
}

const MILLISECONDS = mustBe('a number of milliseconds from 0')
const JOB_PLAN = z
  .strictObject(
    { durationMs: z.number(MILLISECONDS).min(0, MILLISECONDS).exactOptional(), outcome: filledText.exactOptional() },
    mustBe('an object with durationMs, outcome or both'),
  )
  .optional()

/** The body of `POST /_local/onboarding`. */
export const planSchema = z.strictObject(
  {
    signup: JOB_PLAN,
    connection: JOB_PLAN,
    connectionTest: JOB_PLAN,
    dashboards: JOB_PLAN,
    connectionStatus: z.enum(STATUS_PLACES, mustBe(`one of ${STATUS_PLACES.join(', ')}`)).optional(),
  },
  mustBe('an object'),
)

/** A change of plans; what is left out stays as it is. */
export type PlanChange = z.infer<typeof planSchema>

/** New plans: `plans` with a change applied. */
export function changedPlans(plans: Plans, change: PlanChange): Plans {
  const changed = { ...plans, connectionStatus: change.connectionStatus ?? plans.connectionStatus }
  for (const kind of JOB_KINDS) {
    const { durationMs = plans[kind].durationMs, outcome = plans[kind].outcome } = change[kind] ?? {}
    changed[kind] = { durationMs, outcome }
  }
  return changed
}

/** The progress of a job that starts `now` (milliseconds since 1970) with this plan. */
export function startedAt(now: number, { durationMs, outcome }: JobPlan): JobProgress {
  return { started: now, durationMs, outcome }
}
