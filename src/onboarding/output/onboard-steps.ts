// The steps of an onboarding in words, for every kind of output.

import type { StepName, StepReport, StepState } from '../types.ts'

export const STEPS: readonly StepName[] = ['login', 'client', 'user', 'properties', 'connection', 'test', 'dashboards']

export const STEP_TITLES: Readonly<Record<StepName, string>> = {
  login: 'Log in',
  client: 'Create client',
  user: 'Create user',
  properties: 'Set properties',
  connection: 'Add connection',
  test: 'Test connection',
  dashboards: 'Create dashboards',
}

export const STATE_WORDS: Readonly<Record<StepState, string>> = {
  working: 'working',
  waiting: 'waiting',
  done: 'done',
  before: 'done before',
  failed: 'failed',
  asks: 'asks',
  stopped: 'stopped',
}

/** "2/7". */
export function stepNumber(step: StepName): string {
  return `${STEPS.indexOf(step) + 1}/${STEPS.length}`
}

/** Whether nothing more will be told of the step. */
export function isOver({ state }: StepReport): boolean {
  return state !== 'working' && state !== 'waiting'
}

/** "12.3 s", "4 min 5 s". */
export function elapsed(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 100) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}

/** "1 poll", "4 polls"; '' for none. */
export function polls(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '1 poll' : `${count} polls`
}
