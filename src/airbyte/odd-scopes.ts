// Warns of what is odd about the scopes of an input's STATEs, once of each thing (decisions.md#states-keep-their-streams-order).

import type { StateMessage } from './messages.ts'

const MIXED = 'STREAM and GLOBAL states are mixed in this input; they are passed on in the order they came.'

export interface ScopeOptions {
  /** Logs a warning. */
  readonly warn: (message: string) => void
  /** The name of a stream that was perhaps meant. Absent when none is looked for. */
  readonly nearest?: (name: string) => string | undefined
}

export class OddScopes {
  readonly #options: ScopeOptions
  readonly #seen = new Set<'stream' | 'all' | 'none'>()

  constructor(options: ScopeOptions) {
    this.#options = options
  }

  /** To be called with each STATE. */
  see({ scope, line, named }: StateMessage<unknown>): void {
    const kind = scope === 'all' || scope === 'none' ? scope : 'stream'
    if (this.#seen.has(kind)) return
    this.#seen.add(kind)
    const { warn, nearest } = this.#options
    if (kind === 'none') warn(ofNoStream(line, nearest?.(named!)))
    else if (this.#seen.has('all') && this.#seen.has('stream')) warn(MIXED)
  }
}

function ofNoStream(line: number, near: string | undefined): string {
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  return `The STATE of input line ${line} is of a stream that the catalog does not name: such a STATE waits for every record before it, and counts none.${meant}`
}
