// Runs one program as a platform would, its input through a pipe, and measures the whole process. Knows no messages.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'

export interface Measurement {
  /** From the start of the pipeline to its end, `sh` included (1 to 2 ms). */
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  readonly stdout: string
}

const USAGE = fileURLToPath(new URL('usage.cjs', import.meta.url))
const TIME_LIMIT_MS = 180_000
const EXCERPT_CHARACTERS = 2000

/**
 * Measures `cat FILES | node SCRIPT ARGUMENTS`, on the Node that runs the bench and with an environment of PATH only.
 * Throws if the program exits with anything but 0 (with the end of what it wrote), takes more than three minutes or is aborted.
 */
export async function measureProgram(
  command: readonly string[],
  files: readonly string[],
  signal: AbortSignal,
): Promise<Measurement> {
  signal.throwIfAborted()
  // Node's own pipes are socket pairs; the shell's are pipes, as the platform's are.
  const node = [process.execPath, '--require', USAGE, ...command]
  const script = `cat ${files.map(quote).join(' ')} 3>&- | exec ${node.map(quote).join(' ')}`
  const started = process.hrtime.bigint()
  const child = spawn('sh', ['-c', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
    // A group of its own, so that all of the pipeline can be ended at once.
    detached: true,
  })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)])
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL')
  }
  limit.addEventListener('abort', endGroup)
  try {
    const ended = new Promise<{ code: number | null; at: bigint }>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve({ code, at: process.hrtime.bigint() }))
    })
    const [, out, err, used] = child.stdio as unknown as readonly [null, Readable, Readable, Readable]
    const [{ code, at }, stdout, stderr, usage] = await Promise.all([ended, text(out), text(err), text(used)])
    limit.throwIfAborted()
    if (code !== 0) throw new Error(`exit code ${code}\n${(stdout + stderr).slice(-EXCERPT_CHARACTERS)}`)
    const ofProcess = JSON.parse(usage) as Pick<Measurement, 'cpuSeconds' | 'peakRssBytes'>
    return { seconds: Number(at - started) / 1e9, ...ofProcess, stdout }
  } finally {
    limit.removeEventListener('abort', endGroup)
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
