// When a run logs its progress, and, once it is to end, why it has not ended yet. What an entry says is in run-entries.ts.

import type { Log } from '../process/io.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { sinceStart } from '../run/run-figures.ts'
import { progressEntry } from './run-entries.ts'
import type { Entry } from './run-entries.ts'
import { stoppedWords } from './run-words.ts'

export interface RunLinesParts {
  readonly log: Log
  /** Between two entries. */
  readonly everyMs: number
  /** @param since the facts of the previous entry, or the first ones */
  readonly entry: (facts: RunFacts, since: RunFacts) => Entry
}

/** A shutdown that takes longer is logged, and again every END_EVERY_MS. */
const SILENT_END_MS = 2000
const END_EVERY_MS = 10_000

/** The first entry comes after `everyMs`. No entry is added while the previous one is still being written. Sets no timer. */
export function runLines({ log, everyMs, entry }: RunLinesParts) {
  let last: RunFacts | undefined
  let isFull = false
  /** When the shutdown was first seen, and last logged. */
  let endingSince: number | undefined
  let endLoggedAt = -Infinity

  function isDue({ at, stopping, delivery }: RunFacts, before: RunFacts): boolean {
    if (!stopping && delivery.ending?.isReadingOver !== true) return at - before.at >= everyMs
    endingSince ??= at
    if (at - endingSince < SILENT_END_MS || at - endLoggedAt < END_EVERY_MS) return false
    endLoggedAt = at
    return true
  }

  return {
    /** Logs an entry where one is due. To be called once a second. */
    show(facts: RunFacts): void {
      last ??= facts
      if (isFull || !isDue(facts, last)) return
      const { message, fields } = entry(facts, last)
      last = facts
      isFull = true
      void log('info', message, { event: 'run.progress', ...fields }).finally(() => (isFull = false))
    },
  }
}

/** Logs the progress of `stream`. Disposing it logs the last entry. */
export function streamLines({ log, everyMs }: Pick<RunLinesParts, 'log' | 'everyMs'>): RunDisplay {
  const lines = runLines({ log, everyMs, entry: progressEntry })
  let newest: RunFacts | undefined
  return {
    log,
    show(facts) {
      newest = facts
      lines.show(facts)
    },
    [Symbol.dispose]() {
      if (newest === undefined) return
      const { message, fields } = progressEntry(newest, sinceStart(newest), false)
      void log('info', message, { event: 'run.progress', ...fields })
      const end = stoppedWords(newest)
      if (end) void log('info', end.message, end.fields)
    },
  }
}
