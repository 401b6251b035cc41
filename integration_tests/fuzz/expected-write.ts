// What is right: the tables, the states and the end of a `write` of an input (assumptions 14, 15, 27, 30). Uses nothing of
// the connector.

import { ExpectedPoints } from './expected-point.ts'
import { expectedRun, wordsOf } from './expected-run.ts'
import type { RightRecord } from './oracle.ts'
import type { WorldStream } from './world.ts'

export interface ExpectedWrite {
  /** Rows of each table, latin1, sorted. */
  readonly tables: ReadonlyMap<string, readonly string[]>
  /** Lines that are printed, sorted: those of different streams may overtake each other. */
  readonly states: readonly string[]
  /** The error it ends in, if it does. */
  readonly error: { readonly kind: string; readonly words: readonly string[]; readonly line: number } | undefined
}

export function expectedWrite(input: Buffer): ExpectedWrite {
  const { lines, fault } = expectedRun(input)
  const tables = new Tables()
  const states: string[] = []
  let uncounted: WorldStream[] = []
  for (const { line, verdict } of lines) {
    if (verdict.kind === 'record') {
      if (!tables.take(verdict)) return { tables: tables.rows(), states: states.sort(), error: rejection(line) }
      uncounted.push(verdict.stream)
    } else if (verdict.kind === 'state') {
      const left = uncounted.filter((stream) => verdict.scope !== 'all' && stream !== verdict.scope)
      states.push(verdict.withStats(uncounted.length - left.length, 0).toString('latin1'))
      uncounted = left
    }
  }
  const error = fault && { ...wordsOf(fault), line: fault.line }
  return { tables: tables.rows(), states: states.sort(), error }
}

function rejection(line: number): ExpectedWrite['error'] {
  return { kind: 'config', words: [`input line ${line}, can not be stored`], line }
}

class Tables {
  readonly #points = new ExpectedPoints()
  readonly #tables = new Map<string, Map<string, string>>()

  /** @returns whether the record is stored */
  take(record: RightRecord): boolean {
    const expected = this.#points.of(record)
    if (expected.rejected) return false
    const { table } = record.stream
    const rows = this.#tables.get(table) ?? new Map<string, string>()
    this.#tables.set(table, rows)
    const point = expected.point.toString('latin1')
    rows.set(expected.key?.identity ?? point, point)
    return true
  }

  rows(): Map<string, string[]> {
    return new Map(Array.from(this.#tables, ([table, rows]) => [table, [...rows.values()].sort()]))
  }
}
