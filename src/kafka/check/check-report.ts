// What a check found, told line by line as it is found, and counted for the last line. Knows nothing of what is checked.

import { counted } from '../../text/figures.ts'
import { wrap } from '../../text/printable.ts'
import type { CheckFinding } from './check-finding.ts'

export interface CheckReportParts {
  /** Takes every secret out of a text. */
  readonly scrub: (text: string) => string
  /** Columns to fit; Infinity: no line is broken. */
  readonly width: number
  write(text: string): Promise<void>
}

const INDENT = ' '.repeat(6)

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
    for (const { level, text } of findings) {
      if (level === 'FAIL') this.failures++
      if (level === 'warn') this.warnings++
      const said = this.#parts.scrub(text)
      // wrap keeps spaces in front of a line, not after its first word
      const [first = '', ...rest] = wrap(`${INDENT}${said}`, this.width, INDENT).split('\n')
      await this.#text([`${level.padEnd(INDENT.length)}${first.slice(INDENT.length)}`, ...rest].join('\n'))
    }
  }

  /** Lines as they are, between two empty ones. */
  async block(text: string): Promise<void> {
    await this.#text(`\n${this.#parts.scrub(text)}\n`)
  }

  /** @returns the exit code */
  async end(): Promise<number> {
    const warnings = counted(this.warnings, 'warning')
    const noted = this.warnings > 0 ? `, with ${warnings}` : ''
    if (this.failures === 0) await this.#text(`\nstream can start${noted}.`)
    else {
      const are = this.failures === 1 ? 'is' : 'are'
      await this.#text(`\n${counted(this.failures, 'thing')} ${are} in the way of stream${noted}.`)
    }
    return this.failures === 0 ? 0 : 1
  }

  async #text(text: string): Promise<void> {
    await this.#parts.write(`${text}\n`)
  }
}
