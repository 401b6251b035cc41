// What programs that are started by hand share (simulate, mutants, fuzz, soak): numbers of the command line, what is said where it is
// not understood, signals, progress on a terminal.

/** @throws TypeError, as parseArgs does, when the text of an option is not such a number */
export function wholeNumber(option: string, text: string, least: number, most = 2 ** 31 - 1): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new TypeError(`--${option} must be a whole number from ${least} to ${most}, not "${text}".`)
}

/** Sets the exit code: what `main` returns; 2 with the usage when it throws a TypeError; 130 when a signal has stopped it. */
export async function runCommand(usage: string, main: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort())
  try {
    process.exitCode = await main(stopped.signal)
  } catch (error) {
    if (!stopped.signal.aborted && !(error instanceof TypeError)) throw error
    process.exitCode = stopped.signal.aborted ? 130 : 2
    if (!stopped.signal.aborted) console.error(`${(error as TypeError).message}\n${usage}`)
  }
}

/** Writes one line again and again, on a terminal only. */
export function progress(words: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${words}`)
}
