// Runs the real process in a folder of its own, watches it from outside, and keeps all that anybody could see of it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as breath } from 'node:timers/promises'
import { findKeys } from './search.ts'
import type { WorkFolder } from '../connector.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname

/** So many processes at once. */
const MOST = 4
let running = 0
const waiting: (() => void)[] = []

export interface Watched {
  readonly code: number | null
  /** By where it was seen: stdout, stderr, `file NAME`, `process NAME`. */
  readonly seen: ReadonlyMap<string, Buffer>
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly args: readonly string[]
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly node?: string
  /** When it is told to end. */
  readonly endAt?: Promise<unknown>
  /** Absent: SIGTERM. */
  readonly endWith?: NodeJS.Signals
  /** When its output holds this, `act` is done with it, and it is told to end. */
  readonly endAfter?: { readonly output: RegExp; act?(output: string): Promise<unknown> }
  /** What holds the key because its user put it there. */
  readonly given?: readonly string[]
}

/** @param work its working directory and its place for temporary files */
export async function watch(work: WorkFolder, options: Running): Promise<Watched> {
  if (running === MOST) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await watched(work, options)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

async function watched(work: WorkFolder, options: Running): Promise<Watched> {
  const child = spawn(options.node ?? process.execPath, [MAIN, ...options.args], {
    cwd: work.path,
    // nothing of ours, so that all that is found is its own
    env: { PATH: process.env['PATH'], HOME: work.path, TMPDIR: work.path, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const seen = new Map<string, Buffer>()
  const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  const end = (): void => void child.kill(options.endWith ?? 'SIGTERM')
  void options.endAt?.then(end)
  let after = options.endAfter
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      chunks[name].push(chunk)
      const text = after === undefined ? '' : Buffer.concat(chunks[name]).toString()
      if (after?.output.test(text) !== true) return
      void Promise.resolve(after.act?.(text)).finally(end)
      after = undefined
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const sample = async (): Promise<void> => {
    for (const name of ['cmdline', 'environ', 'comm']) {
      const bytes = await readFile(`/proc/${child.pid}/${name}`).catch(() => Buffer.alloc(0))
      seen.set(`process ${name}`, Buffer.concat([seen.get(`process ${name}`) ?? Buffer.alloc(0), bytes]))
    }
  }
  const timer = setInterval(() => void sample(), 50)
  await sample()
  const [code] = await closed
  clearInterval(timer)
  for (const name of ['stdout', 'stderr'] as const) seen.set(name, Buffer.concat(chunks[name]))
  for (const name of await readdir(work.path, { recursive: true })) {
    const bytes = await readFile(join(work.path, name)).catch(() => undefined)
    if (bytes !== undefined) seen.set(`file ${name}`, bytes)
  }
  for (const name of options.given ?? []) seen.delete(name)
  return { code, seen, stdout: seen.get('stdout')!.toString(), stderr: seen.get('stderr')!.toString() }
}

/** Where, and as what, any of the keys was seen. A service of the tests goes on meanwhile. */
export async function leaks({ seen }: Watched, keys: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const [where, bytes] of seen)
    for (const [key, ways] of findKeys(bytes, keys)) {
      found.push(...ways.map((way) => `${JSON.stringify(key)} in ${where}: ${way}`))
      await breath()
    }
  return found
}
