// One run of `write` as a process, fed by a pass of the source, ended by itself, by a signal or by kill -9: what it printed
// and how it ended.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../engine/random.ts'
import type { Children } from './children.ts'
import type { Pass } from './pass.ts'

/** When the process is to be ended, if it is. */
export interface Ending {
  readonly signal: 'SIGKILL' | 'SIGTERM'
  /** After so many states, 0: from its start on … */
  readonly states: number
  /** … and so many milliseconds. */
  readonly ms: number
}

export interface RunEnd {
  /** null: it was killed. */
  readonly code: number | null
  /** Whole lines, latin1. */
  readonly lines: readonly string[]
  readonly stderr: string
  /** It did not end in time. */
  readonly hung: boolean
}

const CHUNK = 16_384
/** A run takes seconds; where a key waits for the guard nobody touches, again and again perhaps, minutes. */
const PATIENCE_MS = 600_000

export async function runWrite(
  children: Children,
  args: readonly string[],
  pass: Pass,
  pace: number,
  random: Random,
  ending: Ending | undefined,
): Promise<RunEnd> {
  const child = children.start(args)
  const over = new AbortController()
  const output = new Output(child)
  const closed = once(child, 'close').then(([code]) => code as number | null)
  let hung = false
  const patience = setTimeout(() => {
    hung = true
    child.kill('SIGKILL')
  }, PATIENCE_MS)
  const killing = ending && end(child, output, ending, over.signal)
  child.stdin!.on('error', () => over.abort())
  child.once('close', () => over.abort())
  await feed(child, pass, pace, random, over.signal)
  const code = await closed
  clearTimeout(patience)
  await killing
  return { code, lines: output.lines(), stderr: output.stderr(), hung }
}

async function end(
  child: ChildProcess,
  output: Output,
  { signal, states, ms }: Ending,
  over: AbortSignal,
): Promise<void> {
  while (output.states < states && !over.aborted) await pause(5, over)
  await pause(ms, over)
  child.kill(signal)
}

async function feed(child: ChildProcess, pass: Pass, pace: number, random: Random, over: AbortSignal): Promise<void> {
  const stdin = child.stdin!
  let chunk: string[] = []
  let size = 0
  let paced = 0
  const send = async (): Promise<void> => {
    const free = stdin.write(Buffer.from(chunk.join(''), 'latin1'))
    chunk = []
    size = 0
    if (!free) await once(stdin, 'drain', { signal: over }).catch(() => {})
    const records = pass.records - paced
    paced = pass.records
    if (pace > 0) await pause(((1_000 * records) / pace) * 2 * random.next(), over)
  }
  for (const line of pass.lines()) {
    chunk.push(line, '\n')
    size += line.length + 1
    if (size >= CHUNK) await send()
    if (over.aborted) return
  }
  await send()
  stdin.end()
}

/** What it says, as it says it. */
class Output {
  states = 0
  readonly #out: Buffer[] = []
  readonly #err: Buffer[] = []

  constructor(child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => {
      this.#out.push(chunk)
      this.states += chunk.toString('latin1').split('"STATE"').length - 1
    })
    child.stderr!.on('data', (chunk: Buffer) => this.#err.push(chunk))
  }

  lines(): string[] {
    // a killed process may leave half a line
    return Buffer.concat(this.#out).toString('latin1').split('\n').slice(0, -1)
  }

  stderr(): string {
    return Buffer.concat(this.#err).toString()
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}
