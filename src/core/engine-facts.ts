// What a run holds and waits for at the moment, for those who tell it. Decides nothing.

import type { SendQueue } from './send-queue.ts'
import type { Ledger } from './ledger.ts'
import type { Tables } from './tables.ts'
import type { EndingFacts, EngineFacts } from './tally.ts'

interface Parts<C, O> {
  readonly ledger: Ledger<C>
  readonly tables: Tables<O>
  readonly queue: SendQueue<O>
  readonly intake: { readonly ended: boolean }
  /** What only the loop itself knows. */
  readonly loop: () => Pick<EndingFacts, 'stopsAt' | 'isCommitting' | 'rejecting'>
}

/** Always those of the moment. */
export function engineFacts<C, O>({
  ledger,
  tables,
  queue,
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
        return queue.inFlight
      },
      get retrying() {
        return queue.retrying
      },
      get guarded() {
        return queue.guarded
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
        return finite(queue.nextRetryAt)
      },
      get guardedKeys() {
        return queue.guardedKeys
      },
      get guardedUntil() {
        return finite(queue.guardedUntil)
      },
    },
  }
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}
