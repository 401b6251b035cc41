// The one thing the splitter refuses. Knows no protocol: whoever splits lines says what it means to the user.

/** A line is longer than the splitter's limit. `line` counts from 1, `limit` is in bytes. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong'
  readonly line: number
  readonly limit: number

  constructor(line: number, limit: number) {
    super(`line ${line} is longer than ${limit} bytes`)
    this.line = line
    this.limit = limit
  }
}
