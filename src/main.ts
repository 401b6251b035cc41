#!/usr/bin/env node
// The process edge: argv, standard streams, signals, exit code; the only file that names `process`.
// Its first act is to look at its Node, so nothing else is loaded before.

const NEEDS: readonly [number, number] = [24, 9]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NEEDS[0] || (major === NEEDS[0] && minor < NEEDS[1])) {
  process.stderr.write(
    `destination-analytics-service needs Node.js ${NEEDS.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).\n`,
  )
  process.exitCode = 2
} else await start()

async function start(): Promise<void> {
  const { runCommand } = await import('./cli.ts')
  const { Output } = await import('./telemetry/output.ts')
  const stopped = new AbortController()
  let exitWhenStopped = 1
  let readsInput = false
  const stopOn = (signal: NodeJS.Signals, exitCode: number): void => {
    process.on(signal, () => {
      exitWhenStopped = exitCode
      stopped.abort()
    })
  }
  stopOn('SIGTERM', 143)
  stopOn('SIGINT', 130)
  const stdout = new Output(process.stdout, () => stopped.abort())
  const stderr = new Output(process.stderr)
  const crash = (error: unknown): void => {
    exitWhenStopped = 1
    stderr
      .write(`destination-analytics-service: internal fault: ${error instanceof Error ? error.name : typeof error}\n`)
      .catch(() => {})
    stopped.abort()
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  const code = await runCommand({
    argv: process.argv.slice(2),
    get stdin() {
      readsInput = true
      return process.stdin
    },
    stdout,
    stderr,
    isTty: process.stdout.isTTY === true,
    signal: stopped.signal,
  })
  await Promise.allSettled([stdout.flush(), stderr.flush()])
  process.exitCode = code === 'stopped' ? exitWhenStopped : code
  // a reader of standard input that was left half read would keep the process
  if (readsInput) process.stdin.destroy()
}
