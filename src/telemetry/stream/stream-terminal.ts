// A stream on a terminal: its table redrawn in place with every snapshot, its log in lines above.

import { wrap } from '../../text/printable.ts'
import { displayWidth } from '../../text/text-table.ts'
import { isWanted } from '../log.ts'
import type { LogLevel } from '../log.ts'
import { renderStream } from './render-stream.ts'
import type { TerminalSize } from './render-stream.ts'
import type { StreamFacts, StreamProgress } from './stream-facts.ts'

export interface StreamTerminalParts {
  /** Resolves when there is room for more; may reject. */
  readonly write: (text: string) => Promise<void>
  /** As it is now: it may have been resized. */
  readonly size: () => TerminalSize
  readonly least: LogLevel
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

const RATE_SPAN_MS = 5_000
const CLEAR_LINE_END = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

/** One write a picture, over the last one: nothing is cleared before it is there again. A terminal that does not take what
 *  there is (stopped with Ctrl-S) gets no more pictures meanwhile. */
export function streamTerminal({ write, size, least, wallClock }: StreamTerminalParts): StreamProgress {
  const recent = new RecentFacts(RATE_SPAN_MS)
  let drawn: readonly string[] = []
  let unwritten = 0
  let isOver = false

  async function send(text: string): Promise<void> {
    unwritten++
    await write(text).catch(() => {})
    unwritten--
  }

  /** @param above lines that stay */
  async function draw(above: readonly string[]): Promise<void> {
    const { columns, rows } = size()
    const facts = isOver ? undefined : recent.newest
    const lines = facts === undefined ? [] : renderStream(facts, recent.since, { columns, rows })
    const text = [...above, ...lines].map((line) => `${line}${CLEAR_LINE_END}\n`).join('')
    const back = drawn.length > 0 ? `\r${upBy(drawn, columns)}` : ''
    drawn = lines
    await send(`${back}${text}${CLEAR_BELOW}`)
  }

  return {
    show(facts) {
      recent.add(facts)
      if (unwritten === 0 && !isOver) void draw([])
    },
    async log(level, message) {
      if (!isWanted(level, least)) return
      const { columns } = size()
      const head = `${new Date(wallClock()).toISOString().slice(11, 19)}Z ${level.padEnd(5)} `
      const lines = message.split(/\r\n|[\r\n]/).map((line, index) => {
        return wrap(`${index === 0 ? head : '    '}${line}`, Math.max(1, columns - 1), '    ')
      })
      await draw(lines.flatMap((line) => line.split('\n')))
    },
    [Symbol.dispose]() {
      void draw([])
      drawn = []
      isOver = true
    },
  }
}

/** A narrower terminal has folded what was drawn. */
function upBy(drawn: readonly string[], columns: number): string {
  const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / Math.max(1, columns))), 0)
  return `\u001b[${rows}A`
}

export class RecentFacts {
  readonly #spanMs: number
  #kept: StreamFacts[] = []

  /** @param spanMs how far back the rates look */
  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  add(facts: StreamFacts): void {
    this.#kept.push(facts)
    // one that is older than the span stays: between it and the newest lies the whole span
    while (this.#kept.length > 2 && this.#kept[1]!.at <= facts.at - this.#spanMs) this.#kept.shift()
  }

  get newest(): StreamFacts | undefined {
    return this.#kept.at(-1)
  }

  /** undefined: there is only one yet. */
  get since(): StreamFacts | undefined {
    return this.#kept.length > 1 ? this.#kept[0] : undefined
  }
}
