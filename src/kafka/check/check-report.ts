// What a check found, reported line by line as it is found, and counted for the last line.

import type { Code, Coded } from '../../core/codes.ts'
import { codedText, unpainted, type Paint, type Tone } from '../../process/paint.ts'
import { counted } from '../../text/figures.ts'

/** fine, worth knowing, or in the way of a run; or '', a word on the check itself. */
export interface CheckFinding {
  readonly level: 'ok' | 'warn' | 'FAIL' | ''
  /** Whole sentences: what was found and, if something is to be done, what. */
  readonly text: string
  /** The code of what is not fine. */
  readonly code?: Code
}

export const ok = (text: string): CheckFinding => ({ level: 'ok', text })
export const warn = (code: Code, text: string): CheckFinding => ({ level: 'warn', text, code })
export const fail = (code: Code, text: string): CheckFinding => ({ level: 'FAIL', text, code })
export const failed = ({ code, text }: Coded): CheckFinding => fail(code, text)
export const warned = ({ code, text }: Coded): CheckFinding => warn(code, text)
export const note = (text: string): CheckFinding => ({ level: '', text })

interface CheckReportParts {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  /** Columns to fit; Infinity: no line is broken. */
  readonly width: number
  /** Colours; none when absent. */
  readonly paint?: Paint | undefined
  write(text: string): Promise<void>
}

/** As wide as a level and the space behind it. */
const INDENT = ' '.repeat(6)
const TONES: Readonly<Record<Exclude<CheckFinding['level'], ''>, Tone>> = { ok: 'good', warn: 'odd', FAIL: 'bad' }

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
      // wrap keeps spaces in front of a line, not after its first word
      const lines = codedText(`${INDENT}${this.#parts.scrub(text)}`, code, this.width, INDENT, paint)
      const [first = '', ...rest] = lines.split('\n')
      const head = level === '' ? '' : paint(TONES[level], level)
      const space = ' '.repeat(INDENT.length - level.length)
      await this.#text([`${head}${space}${first.slice(INDENT.length)}`, ...rest].join('\n'))
    }
  }

  /** Writes lines as they are, between two empty ones. */
  async block(text: string): Promise<void> {
    await this.#text(`\n${this.#parts.scrub(text)}\n`)
  }

  /** @returns the exit code */
  async end(): Promise<number> {
    const warnings = counted(this.warnings, 'warning')
    const noted = this.warnings > 0 ? `, with ${warnings}` : ''
    if (this.failures === 0) await this.#text(`\nstream can start${noted}.`)
    else await this.#text(`\n${counted(this.failures, 'problem')} to fix before stream can start${noted}.`)
    return this.failures === 0 ? 0 : 1
  }

  async #text(text: string): Promise<void> {
    await this.#parts.write(`${text}\n`)
  }
}
