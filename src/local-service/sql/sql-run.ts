// Runs one query in a process of its own and ends that process: when it has answered, takes too long, needs too much memory,
// or nobody waits any more.

import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isSea } from 'node:sea'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { frameOf } from './sql-frames.ts'
import type { SqlQuestion, SqlResult } from './sql-frames.ts'

export interface SqlLimits {
  /** For the query; what is copied before has as much again. */
  readonly ms: number
  /** Resident, of its process. */
  readonly bytes: number
}

/** A single file starts itself, with a first argument that main.ts knows. */
const CHILD = isSea()
  ? 'sql-child'
  : fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './sql-child.ts' : './sql-child.js', import.meta.url))
const WATCH_MS = 50
const MAX_ANSWER = 64 * 1024 * 1024
const ENDED = 'the query ended without a result: perhaps it needed more memory than there is'

/** `frames`: of tables and rows, behind the question. Rejects with what `frames` throws, or when `signal` aborts. */
export async function runSql(
  question: SqlQuestion,
  frames: Iterable<Buffer>,
  limits: SqlLimits,
  signal: AbortSignal,
): Promise<SqlResult> {
  signal.throwIfAborted()
  const child = fork(CHILD, [], {
    // as an option of Node a single file would take it for an argument of its own
    env: { NODE_OPTIONS: '--max-old-space-size=256' },
    execArgv: [],
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
  })
  const ended = new AbortController()
  const answer = answerOf(child)
  let why: string | undefined
  let isSent = false
  const end = (reason?: string): void => {
    why ??= reason
    child.kill('SIGKILL')
  }
  const onAbort = (): void => end()
  signal.addEventListener('abort', onAbort)
  try {
    void endAfter(2 * limits.ms, ended.signal, () => end(isSent ? overtime(limits) : slowCopy(limits)))
    void endAbove(child.pid, limits.bytes, ended.signal, () =>
      end(`interrupted: a query may need ${limits.bytes / 2 ** 20} MiB`),
    )
    await send(child, question, frames)
    isSent = true
    void endAfter(limits.ms, ended.signal, () => end(overtime(limits)))
    const text = await answer
    signal.throwIfAborted()
    if (why !== undefined) return { error: why }
    return text === undefined ? { error: ENDED } : (JSON.parse(text) as SqlResult)
  } finally {
    signal.removeEventListener('abort', onAbort)
    ended.abort()
    end()
  }
}

function overtime({ ms }: SqlLimits): string {
  return `interrupted: a query may take ${ms / 1000} s`
}

function slowCopy({ ms }: SqlLimits): string {
  return `interrupted: rows are kept in memory, and copying those of the tables that a query names may take ${(2 * ms) / 1000} s. Started with --data FILE, serve has its tables in a file, and queries read that.`
}

/** Its whole output; undefined: it ended before, or printed too much. Never rejects. */
async function answerOf(child: ChildProcess): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let size = 0
  child.stdout!.on('data', (piece: Buffer) => {
    size += piece.length
    if (size <= MAX_ANSWER) pieces.push(piece)
    else child.kill('SIGKILL')
  })
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('close', resolve)
  })
  return code === 0 ? Buffer.concat(pieces).toString() : undefined
}

/** No faster than it is read. Resolves early when there is no reader any more. */
async function send({ stdin }: ChildProcess, question: SqlQuestion, frames: Iterable<Buffer>): Promise<void> {
  let broken = false
  const gone = new Promise<void>((resolve) => stdin!.on('finish', resolve).on('close', resolve))
  stdin!.on('error', () => (broken = true))
  stdin!.write(frameOf('question', Buffer.from(JSON.stringify(question))))
  for (const piece of frames) {
    if (broken || stdin!.destroyed) return
    if (!stdin!.write(piece)) await drained(stdin!)
  }
  stdin!.end()
  await gone
}

function drained(stdin: NonNullable<ChildProcess['stdin']>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off('drain', done).off('close', done)
      resolve()
    }
    stdin.on('drain', done).on('close', done)
  })
}

async function endAfter(ms: number, ended: AbortSignal, end: () => void): Promise<void> {
  try {
    await wait(ms, undefined, { signal: ended })
    end()
  } catch {
    // It ended before.
  }
}

/** Where the system offers it (Linux). */
async function endAbove(pid: number | undefined, bytes: number, ended: AbortSignal, end: () => void): Promise<void> {
  try {
    for (;;) {
      await wait(WATCH_MS, undefined, { signal: ended })
      const [, kilobytes = 0] = /^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
      if (Number(kilobytes) * 1024 > bytes) end()
    }
  } catch {
    // It ended, or the system does not say.
  }
}
