// What a check found, reported line by line as it is found, and counted for the last line.

import type { Code, Coded } from '../../core/codes.ts'
import { codedText, unpainted, type Paint, type Tone } from '../../process/paint.ts'
import { counted } from '../../text/figures.ts'

export interface CheckFinding {
  /** What it means for a run: it is fine, worth knowing, or in the way of one; '' when the text is on the check itself. */
  readonly level: 'ok' | 'warn' | 'FAIL' | ''
  /** Whole sentences: what was found and, if something is to be done, what. */
  readonly text: string
  /** The code of what is not fine; absent when the level is `ok` or ''. */
  readonly code?: Code
}

/** Makers of findings, each of one level: `failed` does the same as `fail`, and `warned` as `warn`, with code and text in one object. */
export const ok = (text: string): CheckFinding => ({ level: 'ok', text })
export const warn = (code: Code, text: string): CheckFinding => ({ level: 'warn', text, code })
export const fail = (code: Code, text: string): CheckFinding => ({ level: 'FAIL', text, code })
export const failed = ({ code, text }: Coded): CheckFinding => fail(code, text)
export const warned = ({ code, text }: Coded): CheckFinding => warn(code, text)
export const note = (text: string): CheckFinding => ({ level: '', text })

interface CheckReportParts {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  /** Columns of the terminal; Infinity when no line is to be broken. */
  readonly width: number
  /** Colours the level of a finding; nothing is coloured when it is absent. */
  readonly paint?: Paint | undefined
  write(text: string): Promise<void>
}

/** Spaces as wide as the longest level with two behind it, so that texts stand below each other. */
const INDENT = ' '.repeat(6)
const TONES: Readonly<Record<Exclude<CheckFinding['level'], ''>, Tone>> = { ok: 'good', warn: 'odd', FAIL: 'bad' }

/** The report of one check: `add` findings as they come, then `end` it. */
export class CheckReport {
  failures = 0
  warnings = 0
  readonly width: number
  readonly #parts: CheckReportParts

  constructor(parts: CheckReportParts) {
    this.#parts = parts
    this.width = parts.width
  }

  async add(findings: readonly CheckFinding[]): Promise<void> {
    for (const { level, text, code } of findings) {
      if (level === 'FAIL') this.failures++
      if (level === 'warn') this.warnings++
      const { paint = unpainted } = this.#parts
      // lines are broken with an indent in place of the level, behind which a line could end, and whose colours would count as characters
      const lines = codedText(`${INDENT}${this.#parts.scrub(text)}`, code, this.width, INDENT, paint)
      const [first = '', ...others] = lines.split('\n')
      const shownLevel = level === '' ? '' : paint(TONES[level], level)
      const space = ' '.repeat(INDENT.length - level.length)
      await this.#write([`${shownLevel}${space}${first.slice(INDENT.length)}`, ...others].join('\n'))
    }
  }

  /** Writes a text as it is, between two empty lines. */
  async block(text: string): Promise<void> {
    await this.#write(`\n${this.#parts.scrub(text)}\n`)
  }

  /** Writes whether `stream` can start. @returns the exit code */
  async end(): Promise<number> {
    const warnings = counted(this.warnings, 'warning')
    const noted = this.warnings > 0 ? `, with ${warnings}` : ''
    if (this.failures === 0) await this.#write(`\nstream can start${noted}.`)
    else await this.#write(`\n${counted(this.failures, 'problem')} to fix before stream can start${noted}.`)
    return this.failures === 0 ? 0 : 1
  }

  async #write(text: string): Promise<void> {
    await this.#parts.write(`${text}\n`)
  }
}
