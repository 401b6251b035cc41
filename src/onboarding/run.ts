// Runs a whole onboarding, step by step (service-interface.md#onboarding-in-order). Nothing that an earlier run created is created again.

import type { AccessTokenAnswer } from '../service/onboarding/onboarding-answers.ts'
import { clientStep, propertiesStep, userStep } from './client-step.ts'
import { connectionStep } from './connection-step.ts'
import { testStep } from './connection-test-step.ts'
import { dashboardsStep } from './dashboards-step.ts'
import { Halted, type Halt } from './halt.ts'
import { checkIdentity, isBegun } from './identity.ts'
import type { Known } from './journal-entries.ts'
import { applyChoices, confirmedBy, type Choices } from './user-answers.ts'
import { requestUntilAnswered } from './retry.ts'
import { sessionsOf } from './sessions.ts'
import { stepProgress, type Progress } from './step-progress.ts'
import type { OnboardingPlan, Run } from './types.ts'

/** The parts that a run is given. Once `signal` aborts, it sends nothing more. */
interface OnboardParts extends Pick<Run, 'plan' | 'api' | 'journal' | 'clock' | 'scrub' | 'signal'> {
  /** The user's answers to questions of earlier runs. */
  readonly choices: Choices
  readonly progress: Progress
}

export type OnboardingEnd = { readonly status: 'done'; readonly value: OnboardingResult } | Halt

/** Runs an onboarding to its end. Throws a ConnectorError when something stops it; a later run continues from the journal. */
export async function runOnboarding(parts: OnboardParts): Promise<OnboardingEnd> {
  const { plan, journal } = parts
  const run = runOf(parts)
  checkIdentity(journal.known, plan, journal.path, confirmedBy(parts.choices, journal.known))
  // as long as nothing was sent, the address may change
  if (!isBegun(journal.known) && journal.known.baseUrl !== plan.baseUrl) {
    journal.append({ event: 'onboarding', version: 1, base_url: plan.baseUrl })
  }
  applyChoices(parts.choices, journal, plan, (text) => run.steps.note(text))
  try {
    return { status: 'done', value: await runSteps(run) }
  } catch (error) {
    run.steps.report(error instanceof Halted ? error.halt.status : 'failed')
    if (error instanceof Halted) return error.halt
    throw error
  }
}

async function runSteps(run: Run): Promise<OnboardingResult> {
  await loginStep(run)
  const clientId = await clientStep(run)
  await userStep(run, clientId)
  await propertiesStep(run, clientId)
  const connectionId = await connectionStep(run, clientId)
  await testStep(run, clientId, connectionId)
  await dashboardsStep(run, clientId, connectionId)
  return resultOf(run.journal.known, run.plan)
}

/** Logs in even when the next step needs no token, so that a wrong password is found before anything is created. */
async function loginStep({ journal, plan, sessions, steps }: Run): Promise<void> {
  const { A10: dashboards } = journal.known.made
  if (dashboards.state === 'done') {
    steps.skip('login', 'not needed')
    return
  }
  steps.begin('login')
  await sessions.fresh()
  steps.report('done', plan.login.username)
}

function runOf({ plan, api, journal, progress, clock, scrub, signal }: OnboardParts): Run {
  const steps = stepProgress(progress, clock, scrub)
  const deadline = clock.now() + plan.timing.timeouts.totalMs
  const base = { plan, api, journal, clock, signal, deadline, steps, scrub }
  const logIn = (): Promise<AccessTokenAnswer> =>
    requestUntilAnswered(base, 'A1', (limit) => api.createToken(limit(), plan.login))
  return { ...base, sessions: sessionsOf(logIn, () => clock.now()) }
}

/** The result as written with --output. */
export type OnboardingResult = ReturnType<typeof resultOf>

/** The result of an onboarding that is complete. An id is absent if the service gave none. `user_id`: the user's id, or the invite's where
 *  A4's answer had no other. `pubkey`: to be authorized on the SSH gateway, if the database is reached through one. */
export function resultOf({ made, clientId, userId, pubkey }: Known, plan: OnboardingPlan) {
  const { A2: signup, A4: user, A6: connection, A8: test, A10: dashboards } = made
  return {
    status: 'onboarded' as const,
    base_url: plan.baseUrl,
    dashboard_url: plan.dashboardUrl,
    company: plan.client.company,
    client_id: Number(clientId),
    ...(typeof signup.id === 'string' ? { signup_id: signup.id } : {}),
    user_email: plan.user.email,
    user_id: Number(userId ?? user.id),
    ...(typeof user.id === 'number' && !user.adopted ? { invite_id: user.id } : {}),
    connection_name: plan.connection.name,
    connection_id: Number(connection.id),
    ...(typeof test.id === 'number' ? { job_id: test.id } : {}),
    dashboard_id: String(dashboards.id),
    ...(pubkey === undefined ? {} : { pubkey }),
  }
}
