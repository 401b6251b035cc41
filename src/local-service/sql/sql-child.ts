// The program of a process of its own that runs one query and ends. A query inside SQLite cannot be interrupted by anything
// in its process, and one that needs too much memory takes its process with it: this one may be killed.

import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { framesFrom } from './sql-frames.ts'

/** Should nobody be left who kills it. */
const LAST_MS = 20_000

new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${LAST_MS})`, { eval: true }).unref()
yieldMemory()
const { answerQuestion } = await import('./sql-query.ts')
const answer = JSON.stringify(await answerQuestion(framesFrom(0)))
// Not writeSync, which throws when a slow reader has let the pipe become full.
// oxlint-disable-next-line no-restricted-globals -- this is a program, and has no other edge
await new Promise<void>((resolve) => process.stdout.end(answer, () => resolve()))

/** Where memory runs out (Linux), this process is to end, not the service. */
function yieldMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Elsewhere there is no such thing.
  }
}
