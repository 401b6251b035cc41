// When a run logs its progress, and, once it is to end, why it has not ended yet. What an entry says is in run-entries.ts.

import type { Log } from '../process/io.ts'
import type { RunDisplay, RunFacts } from '../run/run-facts.ts'
import { sinceStart } from '../run/run-figures.ts'
import { progressEntry, type Entry } from './run-entries.ts'
import { stoppedWords } from './run-words.ts'

/** Between two entries. */
const EVERY_MS = 60_000
/** A shutdown that takes longer is logged, and again every END_EVERY_MS. */
const SILENT_END_MS = 2000
const END_EVERY_MS = 10_000

/** Logs the progress of a run: first after a minute. No entry is added while the previous one is still being written. Sets no timer.
 *  @param entry takes the current facts, and those of the previous entry or the first ones */
export function runLines(log: Log, entry: (facts: RunFacts, since: RunFacts) => Entry) {
  let last: RunFacts | undefined
  let isFull = false
  /** When the shutdown was first seen, and last logged. */
  let endingSince: number | undefined
  let endLoggedAt = -Infinity

  function isDue({ at, stopping, delivery }: RunFacts, before: RunFacts): boolean {
    if (!stopping && delivery.ending?.isReadingOver !== true) return at - before.at >= EVERY_MS
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
export function streamLines(log: Log): RunDisplay {
  const lines = runLines(log, progressEntry)
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
