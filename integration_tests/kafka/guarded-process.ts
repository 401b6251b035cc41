// A process that never outlives the one that started it, however that one ends (SIGKILL too), nor leaves its folder behind.
// A guard beside it reads from us and knows by the end of its input that we are gone. The process begins once it is guarded.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Becomes the command when told to, and nothing when we are gone before. */
const PROCESS = 'read -r word <&3 || exit 1; exec "$@" 3<&-'

/** $1: the folder to remove if it has to act, or nothing. Reads the pid, then that the process has ended. */
const GUARD = `
trap '' INT TERM HUP
read -r pid || exit
read -r word && exit
kill -KILL "$pid"
[ -z "$1" ] && exit
tries=0
while kill -0 "$pid" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
rm -rf -- "$1"
`

export interface GuardedOptions {
  readonly environment: NodeJS.ProcessEnv
  /** A file that takes what the process says. */
  readonly log: number
  /** A folder that goes with the process when we end without ending it. */
  readonly doomed: string | undefined
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class GuardedProcess {
  /** Resolves once the process has ended; never rejects. */
  readonly ended: Promise<Ended>
  readonly pid: number
  readonly #child: ChildProcess

  /** @throws when no shell can be started. A command that cannot be run ends with code 126 or 127, and the log says why. */
  static async start(command: readonly string[], options: GuardedOptions): Promise<GuardedProcess> {
    const { environment: env, log, doomed } = options
    // detached: Ctrl-C in a terminal reaches us alone, the end is ours to bring about
    const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', doomed ?? ''], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    guard.stdin.on('error', () => {})
    await once(guard, 'spawn')
    const child = spawn('/bin/sh', ['-c', PROCESS, 'sh', ...command], {
      env,
      stdio: ['ignore', log, log, 'pipe'],
      detached: true,
    })
    const ended = endOf(child, guard)
    try {
      await once(child, 'spawn')
    } catch (error) {
      guard.stdin.destroy()
      throw error
    }
    guard.stdin.write(`${child.pid}\n`)
    const go = child.stdio[3] as Writable
    go.on('error', () => {})
    go.end('go\n')
    return new GuardedProcess(child, ended)
  }

  private constructor(child: ChildProcess, ended: Promise<Ended>) {
    this.#child = child
    this.pid = child.pid!
    this.ended = ended
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Does nothing to a process that has ended. */
  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

/** Dismisses the guard. */
function endOf(child: ChildProcess, guard: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      if (guard.exitCode !== null || guard.signalCode !== null) return resolve({ code, signal })
      guard.once('exit', () => resolve({ code, signal }))
      guard.stdin!.end('ended\n')
    })
  })
}
