// `stream` as a process: what it says line by line, signals to it, its end. Knows no case.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { until } from '../kafka/until.ts'

/** A line of its log. */
export interface LogLine {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

export interface StreamEnded {
  /** null: ended by a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly lines: readonly LogLine[]
}

/** Disposed it is killed. */
export class StreamProcess implements AsyncDisposable {
  readonly lines: LogLine[] = []
  readonly ended: Promise<StreamEnded>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''
  #hasEnded = false

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdin!.end()
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout!.on('data', (chunk: Buffer) => {
      out.push(chunk)
      this.#stdout = Buffer.concat(out).toString()
      this.#readLines()
    })
    child.stderr!.on('data', (chunk: Buffer) => {
      err.push(chunk)
      this.#stderr = Buffer.concat(err).toString()
    })
    this.ended = once(child, 'close').then(([code]) => {
      this.#hasEnded = true
      return { code: code as number | null, stdout: this.#stdout, stderr: this.#stderr, lines: this.lines }
    })
  }

  get isAlive(): boolean {
    return !this.#hasEnded
  }

  /** The most memory it had so far, resident, in bytes; 0 where the system does not tell. */
  async peak(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '')
    return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0)
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** The first line whose message matches, as soon as it is there.
   *  @throws with all it said, when it ends without */
  async said(pattern: RegExp): Promise<LogLine> {
    const find = (): LogLine | undefined => this.lines.find(({ message }) => pattern.test(message))
    await until(
      () => find() !== undefined || this.#hasEnded,
      () => `it never said ${pattern}:\n${this.toString()}`,
    )
    const line = find()
    if (line === undefined) throw new Error(`it ended without saying ${pattern}:\n${this.toString()}`)
    return line
  }

  /** SIGTERM, and its end. */
  async stop(): Promise<StreamEnded> {
    this.send('SIGTERM')
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) this.send('SIGKILL')
    await this.ended
  }

  toString(): string {
    return this.#stdout + this.#stderr
  }

  #readLines(): void {
    const complete = this.#stdout.split('\n').slice(0, -1)
    // nothing but lines of JSON is allowed there, except for what --example prints
    if (!this.#stdout.startsWith('{')) return
    for (const line of complete.slice(this.lines.length)) this.lines.push(JSON.parse(line) as LogLine)
  }
}

/** The figures of its last words. */
export function lastFigures({ lines }: Pick<StreamEnded, 'lines'>): LogLine {
  const last = lines.findLast(({ message }) => message.startsWith('stream: '))
  if (last === undefined) throw new Error(`no figures were told: ${JSON.stringify(lines)}`)
  return last
}
