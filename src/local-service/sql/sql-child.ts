// The program of a process of its own that runs one query and ends. A query inside SQLite cannot be interrupted by anything
// in its process, and one that needs too much memory takes its process with it: this one may be killed.

import { on } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { SqlCopy, SqlQuestion } from './sql-query.ts'

/** Should nobody be left who kills it. */
const LAST_MS = 20_000

new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${LAST_MS})`, { eval: true }).unref()
yieldMemory()
// Before anything is awaited: what comes until then would be lost.
// oxlint-disable-next-line no-restricted-globals -- this is a program, and has no other edge
const parent = process
const messages = on(parent, 'message')
const { answerQuestion } = await import('./sql-query.ts')
const [question] = (await messages.next()).value as [SqlQuestion]
const answer = await answerQuestion(question, copies())
parent.send?.(answer, () => parent.disconnect())

async function* copies(): AsyncGenerator<readonly SqlCopy[]> {
  for await (const [tables] of messages as AsyncIterable<[readonly SqlCopy[] | null]>) {
    if (tables === null) return
    yield tables
  }
}

/** Where memory runs out (Linux), this process is to end, not the service. */
function yieldMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Elsewhere there is no such thing.
  }
}
