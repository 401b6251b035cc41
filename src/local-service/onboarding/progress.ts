// Tells how far a job is: queued, running or ended. A job does nothing: its plan and the time alone decide.

/** How a job will go, decided when it starts. */
export interface JobPlan {
  /** From its start to its end: a third of it queued, the rest running. */
  readonly durationMs: number
  /** The word for the job's end, such as `completed` or `Failed`. With `hangs` (HANGS) it never ends: it is queued, then runs for ever. */
  readonly outcome: string
}

export interface JobProgress extends JobPlan {
  /** Milliseconds since 1970. */
  readonly started: number
}

export type Phase = 'queued' | 'running' | 'ended'

/** A phase with its times, milliseconds since 1970. `until` is Infinity for the last one. */
interface State {
  readonly phase: Phase
  readonly since: number
  readonly until: number
}

export const HANGS = 'hangs'

/** The states of a job up to now; before its start, when the clock was set back, the first one. A state that takes no time is left out.
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

export function stateAt(progress: JobProgress, now: number): State {
  return statesUntil(progress, now).at(-1)!
}

/** The time at which a job begins to run, milliseconds since 1970. */
export function runsFrom({ started, durationMs }: JobProgress): number {
  return started + Math.floor(durationMs / 3)
}

/** The word for a job's state now, as signups, connections and dashboard creation jobs tell it. */
export function wordOf(progress: JobProgress, now: number): string {
  return wordIn(stateAt(progress, now).phase, progress)
}

export function wordIn(phase: Phase, { outcome }: JobPlan): string {
  if (phase === 'ended') return outcome
  return phase === 'queued' ? 'pending' : 'running'
}

export function hasSucceeded(progress: JobProgress, now: number): boolean {
  return stateAt(progress, now).phase === 'ended' && isSuccess(progress.outcome)
}

/** Tells whether a word says that a job has succeeded (decisions.md#a-states-word-says-done-or-failed). */
export function isSuccess(outcome: string): boolean {
  const word = outcome.toLowerCase()
  return (word.startsWith('complete') || word === 'success' || word === 'succeeded') && !/error|fail|warn/.test(word)
}
