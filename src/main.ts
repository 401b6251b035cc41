#!/usr/bin/env node
// The process edge: argv, standard streams, signals, exit code; the only file that names `process`.
// Its first act is to look at its Node, so nothing else is loaded before.

import type { Io } from './commands/io.ts'
import type { Input } from './commands/pipe-input.ts'
import type { Output } from './telemetry/output.ts'

/** A stopped run has 20 s for what is in flight; a little later it must be gone. */
const LAST_MS = 22_000

/** What Node 24.9 says of node:sqlite, on everybody's terminal. */
const EXPERIMENTAL = 'SQLite is an experimental feature'

const NEEDS: readonly [number, number] = [24, 9]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NEEDS[0] || (major === NEEDS[0] && minor < NEEDS[1])) {
  process.stderr.write(
    `destination-analytics-service needs Node.js ${NEEDS.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).\n`,
  )
  process.exitCode = 2
} else await start()

/** Standard input: a pipe in a buffer of our own, anything else (a file, a terminal) as Node reads it. */
async function openInput(): Promise<Input> {
  const { fstatSync } = await import('node:fs')
  const kind = fstatSync(0)
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin
  const { PipeInput } = await import('./commands/pipe-input.ts')
  return new PipeInput(0)
}

async function reportCrash(error: unknown, stdout: Output): Promise<void> {
  const found = error instanceof Error ? error.name : typeof error
  const { traceError } = await import('./protocol/emitter.ts')
  const { ConnectorError } = await import('./core/errors.ts')
  const message = `An internal fault of the connector stopped it (${found}). What was settled is committed; please report this.`
  await stdout.write(traceError(new ConnectorError('system', message), Date.now()))
}

function muteExperimental(): void {
  const warn = process.emitWarning.bind(process) as (...given: unknown[]) => void
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith(EXPERIMENTAL)) warn(warning, ...rest)
  }
}

async function start(): Promise<void> {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  muteExperimental()
  const { Scrubber } = await import('./telemetry/scrubber.ts')
  const { guardOutput } = await import('./telemetry/guard-output.ts')
  const scrubber = new Scrubber()
  const unguarded = guardOutput(process, scrubber)
  const { runCommand } = await import('./cli.ts')
  const { Output } = await import('./telemetry/output.ts')
  const stopped = new AbortController()
  let exitWhenStopped = 1
  let input: Input | undefined
  const stopOn = (signal: NodeJS.Signals, exitCode: number): void => {
    process.on(signal, () => {
      exitWhenStopped = exitCode
      stopped.abort()
      // whatever still holds the process then (a reader that does not read), the signal ends it as it would any other
      setTimeout(() => {
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      }, LAST_MS).unref()
    })
  }
  stopOn('SIGTERM', 143)
  stopOn('SIGINT', 130)
  // what the user's own bytes are, a STATE, leaves as it came; text of ours is scrubbed
  const stdout = new Output(unguarded, () => stopped.abort(), scrubber.scrub)
  const stderr = new Output(process.stderr)
  let hasCrashed = false
  const crash = (error: unknown): void => {
    exitWhenStopped = 1
    if (!hasCrashed) reportCrash(error, stdout).catch(() => {})
    hasCrashed = true
    stopped.abort()
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  const io: Io = {
    argv: process.argv.slice(2),
    env: process.env,
    async openInput() {
      input ??= await openInput()
      return input
    },
    stdout,
    stderr,
    scrubber,
    isTty: process.stdout.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    signal: stopped.signal,
  }
  const code = await runCommand(io).catch((error: unknown) => {
    crash(error)
    return 1
  })
  await Promise.allSettled([stdout.flush(), stderr.flush()])
  process.exitCode = code === 'stopped' ? exitWhenStopped : code
  // a reader of standard input that was left half read would keep the process
  input?.destroy()
}
