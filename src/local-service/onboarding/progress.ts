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

/** Times are milliseconds since 1970; `until`: Infinity when it lasts for ever. */
interface State {
  readonly phase: Phase
  readonly since: number
  readonly until: number
}

export const HANGS = 'hangs'

/** The states of a job up to now, at least one. One that takes no time is left out. A clock that was set back finds it in its first.
 *  @param now milliseconds since 1970 */
export function statesUntil(progress: JobProgress, now: number): readonly State[] {
  const { started, durationMs, outcome } = progress
  const running = runsFrom(progress)
  const ended = outcome === HANGS ? Infinity : started + durationMs
  return [
    { phase: 'queued' as const, since: started, until: running },
    { phase: 'running' as const, since: running, until: ended },
    { phase: 'ended' as const, since: ended, until: Infinity },
  ]
    .filter(({ since, until }) => since < until)
    .filter(({ since }, index) => since <= now || index === 0)
}

/** The state that a job is in. */
export function stateAt(progress: JobProgress, now: number): State {
  return statesUntil(progress, now).at(-1)!
}

/** The time at which a job begins to run, milliseconds since 1970. */
export function runsFrom({ started, durationMs }: JobProgress): number {
  return started + Math.floor(durationMs / 3)
}

/** One word for the state, as signup, connection and dashboard jobs say it. */
export function wordOf(progress: JobProgress, now: number): string {
  return wordIn(stateAt(progress, now).phase, progress)
}

/** The word of a job for a phase. */
export function wordIn(phase: Phase, { outcome }: JobPlan): string {
  if (phase === 'ended') return outcome
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
