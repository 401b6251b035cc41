// What one run of `write` said, against what it was given: its states are those it got, in order, each with the counts it
// covers; and how it may end.

import type { Message } from '../connector.ts'
import type { Pass, SentState } from './pass.ts'
import type { SoakStream } from './workload.ts'
import type { RunEnd } from './write-run.ts'

export interface CheckedRun {
  /** The states that were printed. */
  readonly states: readonly SentState[]
  /** It ended with everything delivered. */
  readonly complete: boolean
  /** It ended because the service did not come back in time, or refused all it tried of a table. */
  readonly gaveUp: boolean
}

/** @param refused streams of which the service refuses requests now and then
 *  @returns what is wrong, or what it came to */
export function checkRun(
  end: RunEnd,
  pass: Pass,
  wasEnded: boolean,
  refused: ReadonlySet<SoakStream>,
): CheckedRun | string {
  const { code, lines, stderr, hung } = end
  if (hung) return `it does not end; its last lines are ${lines.slice(-3).join(' | ')}`
  if (stderr !== '') return `it says on stderr ${stderr.slice(0, 500)}`
  const messages = lines.map((line) => JSON.parse(line) as Message)
  const states: SentState[] = []
  const last = new Map<SentState['scope'], number>()
  for (const [index, line] of lines.entries()) {
    if (messages[index]!.type !== 'STATE') continue
    const state = stateOf(line, pass, refused)
    if (state === undefined) return `it prints a state it never got so: ${line}`
    if (state.number <= (last.get(state.scope) ?? 0)) return `it prints a state behind a later one: ${line}`
    last.set(state.scope, state.number)
    states.push(state)
  }
  const skipped = skippedState(states, pass.states)
  if (skipped !== undefined) return `it prints a state of its scope later than the first it leaves out: ${skipped.line}`
  const errors = messages.filter(({ type }) => type === 'TRACE').map(({ trace }) => errorOf(trace))
  const complete = code === 0
  if (complete && (errors.length > 0 || states.length < pass.states.length || !pass.ended))
    return `it ends with 0, ${states.length} of ${pass.states.length} states and the errors ${errors.join()}`
  const gaveUp = code === 1 && errors.length === 1 && isOfService(errors[0]!, refused)
  const stopped = wasEnded && errors.length === 0 && (code === null || code === 143)
  if (!complete && !gaveUp && !stopped) return `it ends with ${code} and the errors ${errors.join()}`
  return { states, complete, gaveUp }
}

const SUPERSEDED = /(?<=Count":\d+\.0),"additionalStats":\{"supersededRecordCount":([1-9]\d*)\.0\}(?=\})/

/** The state that was sent, if the line is it with the counts it must have. How many were superseded is a matter of time. */
function stateOf(printedLine: string, { states }: Pass, refused: ReadonlySet<SoakStream>): SentState | undefined {
  const superseded = Number(SUPERSEDED.exec(printedLine)?.[1] ?? 0)
  const line = printedLine.replace(SUPERSEDED, '')
  const sent = states[Number(/"number":(\d+)/.exec(line)?.[1]) - 1]
  if (sent === undefined) return undefined
  const { positions, written, rejected } = sent
  if (superseded > written) return undefined
  // of those refused for no reason nobody can say how many there were
  const more = Number(/"rejectedRecordCount":(\d+)\.0/.exec(line)?.[1]) - rejected
  const isOpen = [...positions.keys()].some((stream) => refused.has(stream)) && more > 0 && more <= written
  return line === (isOpen ? printed(sent, written - more, rejected + more) : printed(sent, written, rejected))
    ? sent
    : undefined
}

function printed({ line }: SentState, written: number, rejected: number): string {
  const stats = `"destinationStats":{"recordCount":${written}.0,"rejectedRecordCount":${rejected}.0}`
  const old = '"destinationStats":null'
  return line.includes(old) ? line.replace(old, stats) : `${line.slice(0, -2)},${stats}}}`
}

/** A state between printed ones of its scope that was not printed. */
function skippedState(printed: readonly SentState[], sent: readonly SentState[]): SentState | undefined {
  const known = new Set(printed)
  const furthest = new Map(printed.map(({ scope, number }) => [scope, number]))
  return sent.find((state) => !known.has(state) && state.number < (furthest.get(state.scope) ?? 0))
}

/** The table's fault it must seem to be where all that was tried is refused
 *  (decisions.md#three-refusals-alone-blame-the-table). */
function isOfService(error: string, refused: ReadonlySet<SoakStream>): boolean {
  return error.startsWith('transient_error ') || [...refused].some(({ table }) => error.includes(`"${table}"`))
}

function errorOf(trace: unknown): string {
  const { error } = trace as { error: { failure_type: string; message: string } }
  return `${error.failure_type} ${error.message}`
}
