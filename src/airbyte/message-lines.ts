// The Airbyte input's lines: the splitter, with its one fault in the words of this protocol.

import { LineTooLong } from '../json/line-too-long.ts'
import { LineSplitter } from '../json/split-lines.ts'
import type { Lines, SplitOptions } from '../json/split-lines.ts'
import { lineTooLong } from './bad-line.ts'

/** LineSplitter, but a line beyond the limit is a ConnectorError (system), after every line before it. */
export class MessageLines {
  readonly #splitter: LineSplitter

  /** @param options a very long line's bytes are written over after the next push, unless its Lines are told to keep them */
  constructor(options: Pick<SplitOptions, 'maxLineBytes' | 'onLong'> = {}) {
    this.#splitter = new LineSplitter({ ...options, reusesLong: true })
  }

  *push(chunk: Uint8Array): Generator<Lines> {
    try {
      yield* this.#splitter.push(chunk)
    } catch (error) {
      if (error instanceof LineTooLong) throw lineTooLong(error.line, error.limit, error)
      throw error
    }
  }

  *end(): Generator<Lines> {
    yield* this.#splitter.end()
  }
}
