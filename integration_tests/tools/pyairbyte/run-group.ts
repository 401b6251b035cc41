// Runs a program with everything it starts, so that nothing of it is left when it is stopped.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Done {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface GroupOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Kills the program and what it started. */
  readonly signal: AbortSignal
}

/** Throws the signal's reason when it was stopped. */
export async function runGroup(program: string, args: readonly string[], options: GroupOptions): Promise<Done> {
  const { cwd, env, signal } = options
  signal.throwIfAborted()
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err]: Buffer[][] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out!.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err!.push(chunk))
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // all of it has ended
    }
  }
  signal.addEventListener('abort', kill)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    return { code, stdout: Buffer.concat(out!).toString(), stderr: Buffer.concat(err!).toString() }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}
