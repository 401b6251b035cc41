// A whole onboarding, step by step (service-interface.md#onboarding-in-order): what an earlier run has made is not made
// again.

import type { Clock } from '../core/types.ts'
import type { OnboardingApi } from '../service/onboarding/onboarding-api.ts'
import { applyChoices, confirmedBy } from './choices.ts'
import type { Choices } from './choices.ts'
import { clientStep } from './client-step.ts'
import { connectionStep } from './connection-step.ts'
import { testStep } from './connection-test-step.ts'
import { dashboardsStep } from './dashboards-step.ts'
import { checkIdentity, isBegun } from './identity.ts'
import type { Journal } from './journal.ts'
import { resultOf } from './outcome.ts'
import type { OnboardingResult } from './outcome.ts'
import { safely } from './safely.ts'
import { createSessions } from './sessions.ts'
import type { Got, Progress, Run, StepName, StepState, OnboardingPlan, StepTracker } from './types.ts'
import { propertiesStep, userStep } from './user-step.ts'

export interface OnboardParts {
  readonly plan: OnboardingPlan
  readonly choices: Choices
  readonly api: OnboardingApi
  readonly journal: Journal
  readonly progress: Progress
  readonly clock: Clock
  readonly scrub: (text: string) => string
  /** Told of every token, before it is used. */
  readonly learn: (secret: string) => void
  /** Told to stop: what is not sent yet is not sent. */
  readonly signal: AbortSignal
}

/** Throws a ConnectorError when something stops it; a later run goes on from the journal. */
export async function runOnboarding(parts: OnboardParts): Promise<Got<OnboardingResult>> {
  const { plan, journal } = parts
  const run = runOf(parts)
  checkIdentity(journal.known, plan, journal.path, confirmedBy(parts.choices, journal.known))
  if (!isBegun(journal.known) && journal.known.baseUrl !== plan.baseUrl) {
    journal.append({ event: 'onboarding', version: 1, base_url: plan.baseUrl })
  }
  applyChoices(parts.choices, journal, plan, run.track.note)
  try {
    const ended = await steps(run)
    if (ended.status !== 'got') run.track.tell(ended.status)
    return ended
  } catch (error) {
    run.track.tell('failed')
    throw error
  }
}

async function steps(run: Run): Promise<Got<OnboardingResult>> {
  const session = await loginStep(run)
  if (session.status !== 'got') return session
  const client = await clientStep(run)
  if (client.status !== 'got') return client
  const user = await userStep(run, client.value)
  if (user.status !== 'got') return user
  const properties = await propertiesStep(run, client.value)
  if (properties.status !== 'got') return properties
  const connection = await connectionStep(run, client.value)
  if (connection.status !== 'got') return connection
  const test = await testStep(run, client.value, connection.value)
  if (test.status !== 'got') return test
  const dashboards = await dashboardsStep(run, client.value, connection.value)
  if (dashboards.status !== 'got') return dashboards
  return { status: 'got', value: resultOf(run.journal.known, run.plan) }
}

/** Also where a later step needs no token: a wrong password shows before anything is made. */
async function loginStep(run: Run): Promise<Got<unknown>> {
  if (run.journal.known.made.A10.state === 'done') {
    run.track.skip('login', 'not needed')
    return { status: 'got', value: undefined }
  }
  run.track.begin('login')
  const session = await run.sessions.fresh()
  if (session.status === 'got') run.track.tell('done', run.plan.login.username)
  return session
}

function runOf({ plan, api, journal, progress, clock, scrub, learn, signal }: OnboardParts): Run {
  const track = createTrack(progress, clock, scrub)
  const deadline = clock.now() + plan.timing.totalMs
  const base = { plan, api, journal, clock, signal, deadline, track, scrub }
  const sessions = createSessions({
    logIn: () => safely(base, 'A1', (limit) => api.createToken(limit(), plan.login)),
    now: () => clock.now(),
    learn,
  })
  return { ...base, sessions }
}

/** Nothing is told before the first step. `scrub`: before anything is laid out, which may cut it. */
function createTrack(progress: Progress, clock: Pick<Clock, 'now'>, scrub: (text: string) => string): StepTracker {
  let step: StepName | undefined
  let startedAt = 0
  let polls = 0
  const tell = (state: StepState, word?: string): void => {
    const clean = word === undefined ? undefined : scrub(word)
    if (step) progress.step({ step, state, word: clean, polls, elapsedMs: clock.now() - startedAt })
  }
  const enter = (next: StepName): void => {
    step = next
    startedAt = clock.now()
    polls = 0
  }
  return {
    begin(next) {
      enter(next)
      tell('working')
    },
    skip(next, word) {
      enter(next)
      tell('before', word)
    },
    tell,
    polled() {
      polls++
    },
    note: (text) => progress.note(scrub(text)),
  }
}
