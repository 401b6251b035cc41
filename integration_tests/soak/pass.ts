// One pass of a source: messages from the positions of the last states on, streams mixed, each state with the positions it
// stands for and the counts it must come back with. Knows no process.

import type { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import type { SoakStream, Workload } from './workload.ts'

/** How many records of each stream are behind a source. */
export type Positions = ReadonlyMap<SoakStream, number>

/** A state as it was sent. */
export interface SentState {
  /** In this pass, from 1. */
  readonly number: number
  /** `none`: it names a stream that the catalog does not, as runners send it that rename streams, and stands for all. */
  readonly scope: SoakStream | 'all' | 'none'
  /** Those of its scope. */
  readonly positions: Positions
  readonly line: string
  /** Records it covers and no state before it does. */
  readonly written: number
  readonly rejected: number
}

/** Made by the model: records that cannot be stored. */
export type Poison = ReadonlyMap<SoakStream, ReadonlySet<number>>

interface Count {
  written: number
  rejected: number
}

/** A stamp that a source gives its records anew in each pass. */
const PASS = 1_000_000

export class Pass {
  readonly states: SentState[] = []
  /** Records handed out. */
  records = 0
  /** Whether all of them are. */
  ended = false
  readonly #workload: Workload
  readonly #number: number
  readonly #random: Random
  readonly #poison: Poison
  readonly #at: Map<SoakStream, number>
  readonly #uncounted = new Map<SoakStream, Count>()
  readonly #onRecord: (stream: SoakStream, index: number, line: string) => void

  /** @param number how many passes there were before
   *  @param onRecord told what is handed out */
  constructor(
    workload: Workload,
    from: Positions,
    number: number,
    random: Random,
    poison: Poison,
    onRecord: (stream: SoakStream, index: number, line: string) => void,
  ) {
    this.#workload = workload
    this.#at = new Map(from)
    this.#number = number
    this.#random = random
    this.#poison = poison
    this.#onRecord = onRecord
  }

  /** Lines, latin1, without line feed. */
  *lines(): Generator<string> {
    const random = this.#random
    const left = this.#workload.streams.filter((stream) => this.#at.get(stream)! < stream.records.length)
    while (left.length > 0) {
      const stream = oneOf(random, left)
      yield* this.#some(stream, 1 + random.below(oneOf(random, [1, 5, 100])))
      if (stream.records[this.#at.get(stream)!] === undefined) left.splice(left.indexOf(stream), 1)
    }
    for (const stream of this.#workload.streams) {
      if (this.#workload.states === 'STREAM') yield this.#state(stream)
      yield statusOf(stream)
    }
    if (this.#workload.states === 'GLOBAL') yield this.#state('all')
    this.ended = true
  }

  *#some(stream: SoakStream, most: number): Generator<string> {
    for (let left = most; left > 0; left--) {
      const index = this.#at.get(stream)!
      const record = stream.records[index]
      if (record === undefined) return
      const line = this.#record(stream, index)
      this.#count(stream, this.#poison.get(stream)!.has(index))
      this.#at.set(stream, index + 1)
      this.records++
      this.#onRecord(stream, index, line)
      yield line
      if (record.glued) left++
      else if (this.#random.next() < 1 / this.#workload.stateEvery)
        yield this.#state(this.#workload.states === 'GLOBAL' ? 'all' : this.#random.below(5) === 0 ? 'none' : stream)
    }
  }

  #record(stream: SoakStream, index: number): string {
    const { data, emitted } = stream.records[index]!
    return recordLine(stream, data, stream.rows === 'restamped' ? emitted + PASS * this.#number : emitted)
  }

  #count(stream: SoakStream, isPoison: boolean): void {
    const count = this.#uncounted.get(stream) ?? { written: 0, rejected: 0 }
    this.#uncounted.set(stream, count)
    if (isPoison) count.rejected++
    else count.written++
  }

  #state(scope: SentState['scope']): string {
    const streams = typeof scope === 'string' ? this.#workload.streams : [scope]
    const positions = new Map(streams.map((stream) => [stream, this.#at.get(stream)!]))
    const counted = scope === 'none' ? [] : streams
    const counts = counted.map((stream) => this.#uncounted.get(stream) ?? { written: 0, rejected: 0 })
    for (const stream of counted) this.#uncounted.delete(stream)
    const number = this.states.length + 1
    const line =
      scope === 'all'
        ? globalLine(number, positions)
        : streamLine(number, scope === 'none' ? RENAMED : descriptorOf(scope), positions)
    const [written, rejected] = [sum(counts.map((it) => it.written)), sum(counts.map((it) => it.rejected))]
    this.states.push({ number, scope, positions, line, written, rejected })
    return line
  }
}

export function recordLine(stream: SoakStream, data: string, emitted: number): string {
  const namespace = stream.namespace === undefined ? '' : `"namespace":"${stream.namespace}",`
  return `{"type":"RECORD","record":{"stream":"${stream.name}",${namespace}"data":${data},"emitted_at":${emitted}}}`
}

const RENAMED = '{"name":"before it was renamed"}'

function streamLine(number: number, descriptor: string, positions: Positions): string {
  // every third one comes with stats of its own, as those of a run before
  const stats = number % 3 === 0 ? ',"destinationStats":null' : ''
  return `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":${descriptor},"stream_state":{"number":${number},"positions":[${[...positions.values()].join()}]}}${stats}}}`
}

function globalLine(number: number, positions: Positions): string {
  const states = Array.from(
    positions,
    ([stream, position]) => `{"stream_descriptor":${descriptorOf(stream)},"stream_state":{"position":${position}}}`,
  )
  return `{"type":"STATE","state":{"type":"GLOBAL","global":{"shared_state":{"number":${number}},"stream_states":[${states.join()}]}}}`
}

function statusOf(stream: SoakStream): string {
  return `{"type":"TRACE","trace":{"type":"STREAM_STATUS","stream_status":{"stream_descriptor":${descriptorOf(stream)},"status":"COMPLETE"}}}`
}

function descriptorOf({ name, namespace }: SoakStream): string {
  return `{"name":"${name}"${namespace === undefined ? '' : `,"namespace":"${namespace}"`}}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
