// What a run holds and waits for at the moment, for those who tell it. Decides nothing.

import type { Agenda } from './agenda.ts'
import type { Ledger } from './ledger.ts'
import type { Tables } from './tables.ts'
import type { EndingFacts, EngineFacts } from './tally.ts'

interface Parts<C, O> {
  readonly ledger: Ledger<C>
  readonly tables: Tables<O>
  readonly agenda: Agenda<O>
  readonly intake: { readonly ended: boolean }
  /** What only the loop itself knows. */
  readonly loop: () => Pick<EndingFacts, 'stopsAt' | 'isCommitting' | 'rejecting'>
}

/** Always those of the moment. */
export function engineFacts<C, O>({
  ledger,
  tables,
  agenda,
  intake,
  loop,
}: Parts<C, O>): {
  readonly engine: EngineFacts
  readonly ending: EndingFacts
} {
  return {
    engine: {
      get outstanding() {
        return ledger.outstanding
      },
      get settled() {
        return ledger.settled
      },
      get bytes() {
        return tables.bytes + ledger.bytes
      },
      get checkpoints() {
        return ledger.checkpoints
      },
      get inFlight() {
        return agenda.inFlight
      },
      get retrying() {
        return agenda.retrying
      },
      get guarded() {
        return agenda.guarded
      },
    },
    ending: {
      get isReadingOver() {
        return intake.ended
      },
      get stopsAt() {
        return loop().stopsAt
      },
      get isCommitting() {
        return loop().isCommitting
      },
      get rejecting() {
        return loop().rejecting
      },
      get retryAt() {
        return finite(agenda.nextRetryAt)
      },
      get guardedKeys() {
        return agenda.guardedKeys
      },
      get guardedUntil() {
        return finite(agenda.guardedUntil)
      },
    },
  }
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}
