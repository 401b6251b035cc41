// The process edge: argv, standard streams, signals, exit code; the only file that names `process`.
// start.js has looked at its Node before this is loaded.

import { isSea } from 'node:sea'
import type { Io } from './process/io.ts'
import type { Output } from './process/output.ts'
import type { Input } from './process/pipe-input.ts'

/** A stopped run has 22 s for requests in flight and 6 s to commit and leave. Platforms kill after 30 s. */
const LAST_MS = 29_000

/** Signals that stop the process, and its exit codes. SIGHUP: the terminal was closed. (Node resets what nohup sets.) */
const STOPS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
]

/** Harmless warnings: of Node 24.9 about node:sqlite; of the Kafka client, which sets a timer for a past time, and adds a listener to a
 *  socket at each reconnection. */
const MUTED = ['SQLite is an experimental feature', 'TimeoutNegativeWarning', 'connect listeners added to [Socket]']

/** Whether terminals here move no cursor. */
const isDumb = process.env['TERM'] === 'dumb'

await start()

/** Standard input: a pipe in a buffer of our own, anything else (a file, a terminal) as Node reads it. */
async function openInput(): Promise<Input> {
  const { createReadStream, fstatSync } = await import('node:fs')
  const kind = fstatSync(0)
  // of these, Node's own standard input is empty: a folder would be a run that stored everything
  if (kind.isDirectory() || kind.isBlockDevice()) return createReadStream('', { fd: 0, autoClose: false })
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin
  const { PipeInput } = await import('./process/pipe-input.ts')
  return new PipeInput(0)
}

/** @param repeated where it is said once more; `undefined` when nowhere */
async function reportCrash(error: unknown, stdout: Output, repeated: Output | undefined): Promise<void> {
  const found = error instanceof Error ? error.name : typeof error
  const isBare = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  const message = isBare
    ? 'A package of the program is not installed: in a checkout, run `npm ci` first.'
    : `An internal fault of the connector stopped it (${found}). What was settled is committed; please report this.`
  await repeated?.write(`Failed: ${message} [program.fault]\n`).catch(() => {})
  if (process.argv[2] === 'stream') {
    const { logLine } = await import('./telemetry/log.ts')
    await stdout.write(logLine(Date.now(), 'error', message, { kind: 'system', code: 'program.fault' }))
    return
  }
  const { traceError } = await import('./airbyte/emitter.ts')
  const { ConnectorError } = await import('./core/errors.ts')
  await stdout.write(traceError(new ConnectorError('system', 'program.fault', message), Date.now()))
}

/** The working directory. `undefined` when it was removed. */
function folderNow(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

type Terminal = Pick<typeof process.stdout, 'isTTY' | 'columns' | 'rows'>

/** A terminal without a known size reports 0. */
function sizeOf({ isTTY, columns, rows }: Terminal): ReturnType<NonNullable<Io['size']>> {
  return isTTY ? { columns: columns || 80, rows: rows || 24 } : undefined
}

function usageNow(): ReturnType<NonNullable<Io['usage']>> {
  const { user, system } = process.cpuUsage()
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 }
}

function muteWarnings(): void {
  const warn = process.emitWarning.bind(process) as (...given: unknown[]) => void
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const parts = [warning, ...rest].map(String)
    if (!MUTED.some((muted) => parts.some((text) => text.includes(muted)))) warn(warning, ...rest)
  }
}

async function start(): Promise<void> {
  // before anything is loaded: process 1 of a container ignores signals without a listener
  const [stopped, unread] = [new AbortController(), new AbortController()]
  let exitWhenStopped = 1
  for (const [signal, exitCode] of STOPS) {
    process.on(signal, () => {
      exitWhenStopped = exitCode
      stopped.abort()
      // if something still keeps the process then (a reader that does not read), the signal kills it
      setTimeout(() => {
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      }, LAST_MS).unref()
    })
  }
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  muteWarnings()
  const { isOutOfSight } = await import('./files/file-identity.ts')
  const { Scrubber } = await import('./secrets/scrubber.ts')
  const { guardOutput } = await import('./secrets/guard-output.ts')
  const scrubber = new Scrubber()
  const unguarded = guardOutput(process, scrubber)
  const { runCommand } = await import('./cli.ts')
  const { Output } = await import('./process/output.ts')
  const { startCommand } = await import('./process/start-command.ts')
  let input: Input | undefined
  // the user's own bytes (a STATE) are not altered; our own text is scrubbed
  const stdout = new Output(unguarded, () => unread.abort(), scrubber.scrub)
  const stderr = new Output(process.stderr)
  let hasCrashed = false
  const crash = (error: unknown): void => {
    // at once: what crashes while this function runs is said nowhere else
    process.exitCode = 1
    if (!hasCrashed) reportCrash(error, stdout, isOutOfSight(1, 2) ? stderr : undefined).catch(() => {})
    hasCrashed = true
    stopped.abort()
  }
  for (const fault of ['uncaughtException', 'unhandledRejection']) process.on(fault, crash)
  const io: Io = {
    argv: process.argv.slice(2),
    command: startCommand({
      script: process.argv[1]!,
      executable: isSea() ? process.argv0 : undefined,
      folder: folderNow(),
      env: process.env,
    }),
    env: process.env,
    async openInput() {
      input ??= await openInput()
      return input
    },
    stdout,
    stderr,
    scrubber,
    isTty: process.stdout.isTTY && !isDumb,
    columns: sizeOf(process.stdout)?.columns,
    size: () => sizeOf(process.stdout),
    errorSize: () => sizeOf(process.stderr),
    repeatsFailures: () => isOutOfSight(1, 2),
    isDumb,
    usage: usageNow,
    signal: AbortSignal.any([stopped.signal, unread.signal]),
    stopAsked: stopped.signal,
    exitWhenStopped: () => exitWhenStopped,
  }
  const code = await runCommand(io).catch((error: unknown) => {
    crash(error)
    return 1
  })
  await Promise.allSettled([stdout.flush(), io.stderr.flush()])
  if (!hasCrashed) process.exitCode = code === 'stopped' ? exitWhenStopped : code
  // unread standard input would keep the process running
  input?.destroy()
}
