// What is right: the tables, the states and the end of a `write` of an input (docs/decisions.md). Uses nothing
// of the connector.

import { ExpectedPoints } from './expected-point.ts'
import { expectedRun, wordsOf } from './expected-run.ts'
import type { ExpectedRun } from './expected-run.ts'
import type { RightRecord, RightState } from './oracle.ts'
import type { WorldStream } from './world.ts'

export type OnRejected = 'fail' | 'divert'

export interface ExpectedWrite {
  /** Rows of each table, latin1, sorted. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** What is kept of rejected records, in order. */
  readonly rejected: readonly { readonly line: number; readonly stream: string; readonly message: string }[]
  /** Lines that are printed, sorted: those of different streams may overtake each other. */
  readonly states: readonly string[]
  /** The error it ends in, if it does. */
  readonly error: { readonly kind: string; readonly words: readonly string[]; readonly line: number } | undefined
}

export function expectedWrite(input: Buffer, onRejected: OnRejected): ExpectedWrite {
  return new Expecting(onRejected).read(expectedRun(input))
}

class Expecting {
  readonly #onRejected: OnRejected
  readonly #points = new ExpectedPoints()
  readonly #tables = new Map<string, Map<string, string>>()
  readonly #rejected: { line: number; stream: string; message: string }[] = []
  readonly #states: string[] = []
  #uncounted: { readonly stream: WorldStream; readonly rejected: boolean }[] = []

  constructor(onRejected: OnRejected) {
    this.#onRejected = onRejected
  }

  read({ lines, fault }: ExpectedRun): ExpectedWrite {
    for (const { line, verdict } of lines) {
      if (verdict.kind === 'state') this.#state(verdict)
      else if (verdict.kind === 'record' && !this.#isTaken(verdict, line)) return this.#end(rejection(line))
    }
    return this.#end(fault && { ...wordsOf(fault), line: fault.line })
  }

  #isTaken(record: RightRecord, line: number): boolean {
    const { stream, text } = record
    const expected = this.#points.of(record)
    if (expected.rejected && this.#onRejected === 'fail') return false
    this.#uncounted.push({ stream, rejected: expected.rejected })
    if (expected.rejected) this.#rejected.push({ line, stream: stream.name, message: text.trim() })
    else {
      const rows = this.#tables.get(stream.table) ?? new Map<string, string>()
      this.#tables.set(stream.table, rows)
      const point = expected.point.toString('latin1')
      rows.set(expected.key?.identity ?? point, point)
    }
    return true
  }

  #state(state: RightState): void {
    const { scope } = state
    const isCovered = ({ stream }: { stream: WorldStream }): boolean => scope === 'all' || stream === scope
    const covered = this.#uncounted.filter(isCovered)
    const rejected = covered.filter((record) => record.rejected).length
    this.#states.push(state.withStats(covered.length - rejected, rejected).toString('latin1'))
    this.#uncounted = this.#uncounted.filter((record) => !isCovered(record))
  }

  #end(error: ExpectedWrite['error']): ExpectedWrite {
    const tables = new Map(Array.from(this.#tables, ([table, rows]) => [table, [...rows.values()].sort()]))
    return { tables, rejected: this.#rejected, states: this.#states.sort(), error }
  }
}

function rejection(line: number): ExpectedWrite['error'] {
  return { kind: 'config', words: [`input line ${line}, cannot be stored`], line }
}
