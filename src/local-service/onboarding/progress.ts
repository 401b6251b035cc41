// How far a job is: queued, running, ended, by the clock alone.

/** The fate of a job, decided when it starts. */
export interface JobPlan {
  /** From its start to its end: a third of it queued, the rest running. */
  readonly durationMs: number
  /** `hangs`: it is queued, then runs for ever. Anything else is the word it ends with, such as `completed`, `Failed`. */
  readonly outcome: string
}

export interface JobProgress extends JobPlan {
  /** Milliseconds since 1970. */
  readonly started: number
}

export type Phase = 'queued' | 'running' | 'ended'

export interface State {
  readonly phase: Phase
  /** Milliseconds since 1970. */
  readonly since: number
}

export const HANGS = 'hangs'

/** The state of a job. A clock that was set back finds it queued.
 *  @param now milliseconds since 1970 */
export function stateAt(progress: JobProgress, now: number): State {
  const { started, durationMs, outcome } = progress
  const elapsed = now - started
  if (elapsed >= durationMs && outcome !== HANGS) return { phase: 'ended', since: started + durationMs }
  const running = runsFrom(progress)
  return now >= running ? { phase: 'running', since: running } : { phase: 'queued', since: started }
}

/** Milliseconds since 1970. */
export function runsFrom({ started, durationMs }: JobProgress): number {
  return started + Math.floor(durationMs / 3)
}

/** One word for the state, as signup, connection and dashboard jobs say it. */
export function wordOf(progress: JobProgress, now: number): string {
  const { phase } = stateAt(progress, now)
  if (phase === 'ended') return progress.outcome
  return phase === 'queued' ? 'pending' : 'running'
}

/** Tells whether it has ended well, by its word (decisions.md#a-states-word-says-done-or-failed). */
export function hasSucceeded(progress: JobProgress, now: number): boolean {
  return stateAt(progress, now).phase === 'ended' && isSuccess(progress.outcome)
}

export function isSuccess(outcome: string): boolean {
  const word = outcome.toLowerCase()
  return (word.startsWith('complete') || word === 'success' || word === 'succeeded') && !/error|fail|warn/.test(word)
}
