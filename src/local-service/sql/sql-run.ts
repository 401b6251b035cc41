// Runs one query in a process of its own and ends that process: when it has answered, takes too long, needs too much memory,
// or nobody waits any more.

import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isSea } from 'node:sea'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SqlCopy, SqlQuestion, SqlResult } from './sql-query.ts'

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
const ENDED = 'the query ended without a result: perhaps it needed more memory than there is'

/** `copies`: some rows at a time, where there is no data file. Rejects with what `copies` throws, or when `signal` aborts. */
export async function runSql(
  question: SqlQuestion,
  copies: Iterable<readonly SqlCopy[]>,
  limits: SqlLimits,
  signal: AbortSignal,
): Promise<SqlResult> {
  signal.throwIfAborted()
  const child = fork(CHILD, [], {
    // as an option of Node a single file would take it for an argument of its own
    env: { NODE_OPTIONS: '--max-old-space-size=256' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
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
    await sent(child, question)
    for (const tables of copies) if (!(await sent(child, tables))) break
    await sent(child, null)
    isSent = true
    void endAfter(limits.ms, ended.signal, () => end(overtime(limits)))
    const result = await answer
    signal.throwIfAborted()
    return why === undefined ? (result ?? { error: ENDED }) : { error: why }
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

/** Undefined: it ended before. Never rejects. */
function answerOf(child: ChildProcess): Promise<SqlResult | undefined> {
  return new Promise((resolve) => {
    child.on('message', (answer) => resolve(answer as SqlResult))
    child.on('error', () => resolve(undefined))
    child.on('close', () => resolve(undefined))
  })
}

/** When there is room for more. Answers whether the process is still there. */
function sent(child: ChildProcess, message: SqlQuestion | readonly SqlCopy[] | null): Promise<boolean> {
  return new Promise((resolve) => {
    child.send(message as object, (error) => resolve(error === null && child.connected))
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
