// What `write` shows a person, on a terminal as standard error: a table of the run, drawn while it goes on, its warnings, and at the end
// what was stored and what to do next. A terminal that moves no cursor (TERM=dumb) gets the log in plain lines in place of the table. In
// pipes and containers there is none of this, except where write.ts says the words of an end itself.

import { asConnectorError } from '../core/errors.ts'
import type { Ended, Io, LogFields, LogLevel } from '../process/io.ts'
import { codedText, firstPainted, paintFor, withCode, type Paint, type Tone } from '../process/paint.ts'
import type { Input } from '../process/pipe-input.ts'
import { brokenOutputText } from '../process/print.ts'
import { graver } from '../telemetry/log.ts'
import { plainTerminal, runTerminal } from '../telemetry/run-terminal.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { counted, elapsedText, thousands } from '../text/figures.ts'

const TYPED_INPUT = `write reads Airbyte messages from standard input, one JSON object a line; that
is this terminal. Type or paste them and end with Ctrl-D, or break off with
Ctrl-C and give it a file: write --config FILE --catalog FILE < messages.jsonl
`

const PRINTED_LINES = `Standard output is this terminal, so STATE and LOG lines appear here. To keep
them, and to see the progress instead: write … < messages.jsonl > back.jsonl
`

/** Says what `write` reads where a person would have to type it, else where its lines go if they appear at the terminal. Never throws. */
export async function hintAtTerminal(
  { isTTY: isTyped }: Pick<Input, 'isTTY'>,
  { stderr, isTty, columns, errorSize }: Pick<Io, 'stderr'> & Partial<Pick<Io, 'isTty' | 'columns' | 'errorSize'>>,
): Promise<void> {
  const isPrintedAtTerminal = isTty === true || columns !== undefined
  if (isTyped === true) await stderr.write(TYPED_INPUT).catch(() => {})
  else if (isPrintedAtTerminal && errorSize?.()) await stderr.write(PRINTED_LINES).catch(() => {})
}

/** The display of one run. Nothing here throws. */
export class WriteDisplay {
  readonly #io: Io
  readonly #paint: Paint
  /** `undefined` when lines of standard output, or what is typed, would run into it. */
  #terminal: RunDisplay | undefined
  #facts: RunFacts | undefined
  #hasWarned = false

  /** @param least the level of LOG_LEVEL; beside a table no message below a warning is shown */
  constructor(io: Io, least: LogLevel) {
    this.#io = io
    const paint = (this.#paint = paintFor(io, true))
    if (io.isTty || io.columns !== undefined) return
    const write = (text: string): Promise<void> => this.#write(text)
    const terminal = { write, size: () => io.errorSize?.(), wallClock: Date.now, paint }
    this.#terminal =
      io.isDumb === true
        ? plainTerminal({ ...terminal, least })
        : runTerminal({ ...terminal, least: graver(least, 'warn') })
  }

  /** Takes the input that is read: no table is drawn over what is typed at a terminal. */
  reads({ isTTY }: Pick<Input, 'isTTY'>): void {
    if (isTTY === true) this.#terminal = undefined
  }

  log(level: LogLevel, message: string, fields: LogFields | undefined): void {
    this.#hasWarned ||= level === 'warn'
    void this.#terminal?.log(level, message, fields)
  }

  show(facts: RunFacts): void {
    this.#facts = facts
    this.#terminal?.show(facts)
  }

  /** Says how the run ended that was shown last. Nothing when none was. */
  async ended(ended: Ended, reportFile: string | undefined): Promise<void> {
    const facts = this.#facts
    if (!facts) return
    if (ended === 'stopped') await this.#showEnd('odd', interruptedWords(facts), reportFile)
    else {
      // green only where there is nothing to look at
      const tone = this.#hasWarned || (facts.total.counts.rejected ?? 0) > 0 ? 'odd' : 'good'
      await this.#showEnd(tone, doneWords(facts), reportFile)
    }
  }

  async failed(error: unknown): Promise<void> {
    await this.#showEnd('bad', failedWords(error, this.#facts), undefined, asConnectorError(error).code)
  }

  /** Ends the table, and says how the run ended. @param tone of the first word */
  async #showEnd(tone: Tone, words: string, reportFile: string | undefined, code?: string): Promise<void> {
    this.#terminal?.[Symbol.dispose]()
    const report = reportFile === undefined ? '' : `The report is ${JSON.stringify(reportFile)}.\n`
    // a terminal of unknown width is taken for 80 columns; the last one stays empty, because some terminals break a line there
    const columns = this.#io.errorSize?.()?.columns ?? 80
    const text = codedText(this.#io.scrubber.scrub(words), code, columns - 1, '  ', this.#paint)
    await this.#write(`${firstPainted(tone, text, this.#paint)}\n${report}`)
  }

  async #write(text: string): Promise<void> {
    await this.#io.stderr.write(this.#io.scrubber.scrub(text)).catch(() => {})
  }
}

export function failedWords(error: unknown, facts: RunFacts | undefined): string {
  return `Failed: ${asConnectorError(error).message}${facts ? ` ${storedWords(facts)}` : ''}`
}

function storedWords({ total: { counts } }: RunFacts): string {
  const { records = 0, written = 0 } = counts
  return `Records stored: ${thousands(written)} of ${thousands(records)} read.`
}

function doneWords({ total: { counts }, at, startedAt, rejectsPlace }: RunFacts): string {
  const { written = 0, rows = 0, rejected = 0 } = counts
  const kept = rejectsPlace === undefined ? '' : ` and kept in ${rejectsPlace}`
  const rejects = rejected > 0 ? `; ${counted(rejected, 'record')} rejected${kept}` : ''
  return `Done in ${elapsedText(at - startedAt)}: ${counted(written, 'record')} stored, in ${counted(rows, 'row')}${rejects}.`
}

function interruptedWords(facts: RunFacts): string {
  return `Interrupted. ${storedWords(facts)} ${againWords('came back')}`
}

/** Says how to go on. @param fate what came of the last STATE that the next run starts from */
const againWords = (fate: string): string =>
  `Run the same command again, starting from the last STATE that ${fate}, if any. Records sent twice are stored once.`

/** Words for a run whose STATE and LOG lines could not be written to their end.
 *  @param facts the last ones; `undefined` when nothing was read
 *  @param cause a code of the system, such as EPIPE (the reader is gone) or ENOSPC (no room is left) */
export function unreadWords(facts: RunFacts | undefined, cause: string): string {
  const [why, code] =
    cause === 'EPIPE'
      ? ['Nobody reads standard output any more: it was closed.', undefined]
      : [brokenOutputText(cause), 'output.unwritable']
  const words =
    facts === undefined
      ? why
      : `${why} ${storedWords(facts)} The STATE lines that were not read are lost. ${cause === 'ENOSPC' ? 'Make room, or write it elsewhere. ' : ''}${againWords('was read')}`
  return withCode(words, code)
}
