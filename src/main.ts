// The process edge: argv, standard streams, signals, exit code; the only file that names `process`.
// start.js has looked at its Node before this is loaded.

import { isSea } from 'node:sea'
import type { Io } from './process/io.ts'
import type { Output } from './process/output.ts'
import type { Input } from './process/pipe-input.ts'

/** The longest that a stop may take: a run has 22 s for requests in flight, and 6 s to commit and leave. Platforms kill after 30 s. */
const LAST_MS = 29_000

/** Signals that stop the process, each with its exit code. A closed terminal sends SIGHUP (under `nohup` too, as Node resets that). */
const STOPS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
]

/** Parts of harmless warnings: one of Node 24.9 about node:sqlite, and two that the Kafka client causes, by timers for a past time and by
 *  a listener added to a socket at each reconnection. */
const MUTED = ['SQLite is an experimental feature', 'TimeoutNegativeWarning', 'connect listeners added to [Socket]']

/** Whether the terminal says that it cannot move its cursor. */
const isDumb = process.env['TERM'] === 'dumb'
const [STDIN_FD, STDOUT_FD, STDERR_FD] = [0, 1, 2]

await start()

/** Opens standard input: a pipe in a buffer of our own, anything else (a file, a terminal) as Node reads it. */
async function openStdin(): Promise<Input> {
  const { createReadStream, fstatSync } = await import('node:fs')
  const kind = fstatSync(STDIN_FD)
  // process.stdin would be empty and report no error, so a run whose input is a folder would end as if it had stored everything
  if (kind.isDirectory() || kind.isBlockDevice()) return createReadStream('', { fd: STDIN_FD, autoClose: false })
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin
  const { PipeInput } = await import('./process/pipe-input.ts')
  return new PipeInput(STDIN_FD)
}

/** Reports an error that nothing caught on standard output, in the form of the command: a log line of `stream`, else a TRACE message.
 *  @param second another output that repeats it as text; `undefined` when none does */
async function reportCrash(error: unknown, stdout: Output, second: Output | undefined): Promise<void> {
  const kind = error instanceof Error ? error.name : typeof error
  const lacksPackage = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  const message = lacksPackage
    ? 'A package of the program is not installed: in a checkout, run `npm ci` first.'
    : `An internal fault of the connector stopped it (${kind}). What was settled is committed; please report this.`
  await second?.write(`Failed: ${message} [program.fault]\n`).catch(() => {})
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
function workingFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

type Terminal = Pick<typeof process.stdout, 'isTTY' | 'columns' | 'rows'>

/** The size of a terminal, which reports 0 when it does not know it. `undefined` when the stream is no terminal. */
function sizeOf({ isTTY, columns, rows }: Terminal): ReturnType<NonNullable<Io['size']>> {
  return isTTY ? { columns: columns || 80, rows: rows || 24 } : undefined
}

function terminals(): Pick<Io, 'isTty' | 'columns' | 'size' | 'errorSize' | 'isDumb'> {
  const { stdout, stderr } = process
  return {
    isTty: stdout.isTTY && !isDumb,
    columns: sizeOf(stdout)?.columns,
    size: () => sizeOf(stdout),
    errorSize: () => sizeOf(stderr),
    isDumb,
  }
}

function usageSoFar(): ReturnType<NonNullable<Io['usage']>> {
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

/** Listens for the signals that ask the process to stop, each of which kills it if it is still there after LAST_MS.
 *  @returns the exit code of the last of them; 1 before any */
function onStop(stop: () => void): () => number {
  let exitCode = 1
  for (const [signal, codeOfSignal] of STOPS) {
    process.on(signal, () => {
      exitCode = codeOfSignal
      stop()
      // the process may not end by itself, when the reader of its output does not read, say
      setTimeout(() => {
        process.removeAllListeners(signal)
        process.kill(process.pid, signal)
      }, LAST_MS).unref()
    })
  }
  return () => exitCode
}

async function start(): Promise<void> {
  // the first is aborted by a signal, the second when standard output cannot be written any more: its reader is gone, say
  const [stopped, unread] = [new AbortController(), new AbortController()]
  // before anything is loaded: process 1 of a container ignores signals without a listener
  const exitWhenStopped = onStop(() => stopped.abort())
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
  // unguarded, for an Output scrubs our own text itself and must not alter bytes of the user, such as a STATE that is given back
  const stdout = new Output(unguarded, () => unread.abort(), scrubber.scrub)
  const stderr = new Output(process.stderr)
  const repeatsFailures = (): boolean => isOutOfSight(STDOUT_FD, STDERR_FD)
  let hasCrashed = false
  const crash = (error: unknown): void => {
    // first of all: if the following lines failed too, nothing else would tell it
    process.exitCode = 1
    if (!hasCrashed) reportCrash(error, stdout, repeatsFailures() ? stderr : undefined).catch(() => {})
    hasCrashed = true
    stopped.abort()
  }
  for (const fault of ['uncaughtException', 'unhandledRejection']) process.on(fault, crash)
  const io: Io = {
    argv: process.argv.slice(2),
    command: startCommand({
      script: process.argv[1]!,
      executable: isSea() ? process.argv0 : undefined,
      folder: workingFolder(),
      env: process.env,
    }),
    env: process.env,
    async openInput() {
      input ??= await openStdin()
      return input
    },
    stdout,
    stderr,
    scrubber,
    ...terminals(),
    repeatsFailures,
    usage: usageSoFar,
    signal: AbortSignal.any([stopped.signal, unread.signal]),
    stopAsked: stopped.signal,
    exitWhenStopped,
  }
  const code = await runCommand(io).catch((error: unknown) => {
    crash(error)
    return 1
  })
  await Promise.allSettled([stdout.flush(), io.stderr.flush()])
  if (!hasCrashed) process.exitCode = code === 'stopped' ? exitWhenStopped() : code
  // unread standard input would keep the process running
  input?.destroy()
}
