// What a door of the program is to the scripts of the promises: records go in, a checkpoint comes out, and in between a process can be
// killed, stopped and started again. Knows no promise.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { until } from '../kafka/until.ts'

export const KEY = 'k/é+&=%"\\'
/** The table that all records are for. */
export const TABLE = 'orders'
/** A partition holds the records of every second id. */
export const PARTITIONS = 2

export interface Planned {
  readonly id: number
  /** The record's data, a JSON object. */
  readonly data: string
}

export interface Plan {
  readonly url: string
  /** As they arrive. */
  readonly records: readonly Planned[]
  /** Options beside those of the door; the key and the service are the same for all. */
  readonly config?: object
  /** Whether rejected records are kept. Without it the first one ends the run. */
  readonly keepsRejects?: boolean
}

/** One input that is read by one process after another. */
export interface Entrance extends AsyncDisposable {
  /** The folder that its processes may write to. */
  readonly folder: string
  /** Starts a process behind the last checkpoint; more input may come. @param args behind the others */
  start(...args: readonly string[]): Promise<Running>
  /** @returns places of the records, in the order of the plan, that the last checkpoint covers */
  covered(): Promise<readonly number[]>
  /** Waits until all is covered, and for the end that follows: its own, or by SIGTERM where the input has none.
   *  @returns the result that a summary has then */
  finish(running: Running): Promise<'done' | 'stopped'>
  /** @returns the data of the records that were kept as rejected */
  rejects(): Promise<readonly string[]>
  /** The places as a message names them: "input line 3". */
  readonly place: RegExp
}

export interface Door {
  readonly name: 'Airbyte' | 'Kafka' | 'Replay'
  open(plan: Plan): Promise<Entrance>
}

export interface Told {
  readonly level: string
  readonly message: string
}

/** A process of the program, and all that it says. Disposed it is killed. */
export class Running implements AsyncDisposable {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  #isAlive = true
  #said = ''

  constructor(child: ChildProcess) {
    this.child = child
    for (const output of [child.stdout!, child.stderr!])
      output.setEncoding('utf8').on('data', (text: string) => (this.#said += text))
    child.stdin!.on('error', () => {})
    this.ended = once(child, 'close').then(([code]) => {
      this.#isAlive = false
      return code as number | null
    })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** What it has said so far, without a line that is not whole. */
  get lines(): readonly string[] {
    return this.#said.split('\n').slice(0, -1)
  }

  /** Log messages and errors, whatever the door calls them. */
  get told(): readonly Told[] {
    return this.lines.flatMap((line): Told[] => {
      const of = JSON.parse(line) as Partial<Told> & { log?: Told; trace?: { error?: { message: string } } }
      if (of.trace?.error) return [{ level: 'error', message: of.trace.error.message }]
      const { level, message } = of.log ?? of
      return level === undefined || message === undefined ? [] : [{ level: level.toLowerCase(), message }]
    })
  }

  /** The messages of a level that hold these words. */
  saying(level: string, words: string | RegExp): readonly string[] {
    return this.told
      .filter(
        (one) =>
          one.level === level && (typeof words === 'string' ? one.message.includes(words) : words.test(one.message)),
      )
      .map(({ message }) => message)
  }

  async says(level: string, words: string | RegExp): Promise<string> {
    await this.until(() => this.saying(level, words).length > 0, `it never says ${words}`)
    return this.saying(level, words)[0]!
  }

  /** @throws with all it said when that never comes true */
  async until(isTrue: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
    await until(isTrue, () => `${otherwise}:\n${this.toString()}`)
  }

  /** @returns the most memory it had so far, in MB; 0 where the system does not tell */
  async peak(): Promise<number> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8').catch(() => '')
    return (1024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0)) / 1e6
  }

  /** @returns the exit code; null where the signal ended it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal)
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }

  toString(): string {
    return this.#said
  }
}
