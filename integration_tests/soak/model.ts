// What is right at the end of a round: which records cannot be stored, what each table holds, byte for byte, and what is
// kept of the rejected ones. Uses nothing of the connector.

import { ExpectedPoints } from '../fuzz/expected-point.ts'
import type { RightRecord } from '../fuzz/oracle.ts'
import { MAX_BODY } from './kinds.ts'
import { recordLine, type Poison } from './pass.ts'
import type { SoakStream, SourceRecord, Workload } from './workload.ts'

/** How often a row may be there. */
interface Bounds {
  /** Each of them makes it at least once. */
  readonly records: SourceRecord[]
  most: number
}

const EMPTY = { from: 0, to: 0 }
const ID = /^(\{"keys":\["_airbyte_raw_id"\],"_airbyte_raw_id":")[0-9a-f-]{36}"/

export class Model {
  readonly poison: Poison
  readonly #rows = new Map<SoakStream, Map<string, Bounds>>()
  /** Of records stamped anew: the row a record becomes. */
  readonly #restamped = new Map<SoakStream, readonly (string | undefined)[]>()
  /** Of records that cannot be stored: the lines that were sent, more than one where they are stamped anew. */
  readonly #poisonLines = new Map<SourceRecord, Set<string>>()
  /** Of records the service may refuse for no reason of theirs, by their lines: equal ones have one line. */
  readonly #refusable = new Map<string, Set<SourceRecord>>()
  readonly #refused: ReadonlySet<SoakStream>
  /** Good records that are kept as rejected ones: their rows need not be there. */
  readonly #excused = new Set<SourceRecord>()

  constructor(workload: Workload) {
    this.#refused = workload.refused
    this.poison = new Map(workload.streams.map((stream) => [stream, this.#read(stream)]))
  }

  /** A record was handed to the connector, once more perhaps. */
  sent(stream: SoakStream, index: number, line: string): void {
    const record = stream.records[index]!
    if (this.poison.get(stream)!.has(index)) {
      const lines = this.#poisonLines.get(record) ?? new Set()
      this.#poisonLines.set(record, lines.add(line))
    } else if (this.#refused.has(stream)) {
      this.#refusable.set(line, (this.#refusable.get(line) ?? new Set()).add(record))
    }
    const row = this.#restamped.get(stream)?.[index]
    if (row !== undefined) this.#rows.get(stream)!.get(row)!.most++
  }

  /** What is wrong with what is kept of rejected records; to be called before `tableFault`.
   *  @param lines messages, latin1, each once or more */
  rejectsFault(lines: readonly string[]): string | undefined {
    const kept = new Set(lines)
    const known = new Set<string>()
    let lost = 0
    for (const sent of this.#poisonLines.values()) {
      if (![...sent].some((line) => kept.has(line))) lost++
      for (const line of sent) known.add(line)
    }
    const strange = [...kept].filter((line) => !known.has(line) && !this.#refusable.has(line))
    // which of equal ones was refused, their lines don't tell
    for (const line of kept) for (const record of this.#refusable.get(line) ?? []) this.#excused.add(record)
    if (lost === 0 && strange.length === 0) return undefined
    return `of ${this.#poisonLines.size} rejected records ${lost} are not kept; ${strange.length} others are, ${shown(strange[0])}`
  }

  /** What is wrong with a table's rows; undefined: nothing. */
  tableFault(stream: SoakStream, rows: readonly string[]): string | undefined {
    const found = new Map<string, number>()
    for (const row of rows) {
      const told = stream.rows === 'restamped' ? row.replace(ID, '$1"') : row
      found.set(told, (found.get(told) ?? 0) + 1)
    }
    const faults = Array.from(found.keys())
      .filter((row) => !this.#rows.get(stream)!.has(row))
      .map((row) => `never sent so: ${shown(row)}`)
    for (const [row, { records, most }] of this.#rows.get(stream)!) {
      const times = found.get(row) ?? 0
      const least = records.filter((record) => !this.#excused.has(record)).length
      if (times < least || times > most) faults.push(`${times} times, not ${least} to ${most}: ${shown(row)}`)
    }
    if (faults.length === 0) return undefined
    return `table ${stream.table}: ${faults.length} rows differ, as ${faults.slice(0, 4).join(' | ')}`
  }

  /** @returns the indices of records that cannot be stored */
  #read(stream: SoakStream): Set<number> {
    const poison = new Set<number>()
    const rows = new Map<string, Bounds>()
    const newest = new Map<string, { point: string; record: SourceRecord }>()
    const restamped: (string | undefined)[] = []
    const inOrder = new ExpectedPoints()
    for (const [index, record] of stream.records.entries()) {
      const points = stream.rows === 'every' ? inOrder : new ExpectedPoints()
      const expected = points.of(rightRecord(stream, record))
      if (expected.rejected || expected.point.length > MAX_BODY) {
        poison.add(index)
        continue
      }
      const point = expected.point.toString('latin1')
      if (stream.rows === 'newest') newest.set(expected.key!.identity, { point, record })
      else if (stream.rows === 'restamped') {
        restamped[index] = point.replace(ID, '$1"')
        rows.set(restamped[index], { records: [...(rows.get(restamped[index])?.records ?? []), record], most: 0 })
      } else rows.set(point, { records: [record], most: 1 })
    }
    for (const { point, record } of newest.values()) rows.set(point, { records: [record], most: 1 })
    this.#rows.set(stream, rows)
    if (stream.rows === 'restamped') this.#restamped.set(stream, restamped)
    return poison
  }
}

function rightRecord(stream: SoakStream, { data, emitted }: SourceRecord): RightRecord {
  const text = recordLine(stream, data, emitted)
  const from = text.indexOf('"data":') + '"data":'.length
  const emittedAt = text.length - 2 - String(emitted).length
  return {
    kind: 'record',
    stream: { ...stream, namespace: stream.namespace, reserved: stream.key.length === 0 ? EVERY_ROW : ['keys'] },
    text,
    data: { from, to: from + data.length },
    emitted: stream.rows === 'collapsed' ? EMPTY : { from: emittedAt, to: text.length - 2 },
    meta: EMPTY,
    isBroken: false,
  }
}

const EVERY_ROW = ['keys', '_airbyte_raw_id']

function shown(row: string | undefined): string {
  return row === undefined ? 'none' : JSON.stringify(row.slice(0, 200))
}
