// The end of a stream that was asked to stop, in a sentence. Says no more than is known.

import { counted } from '../../text/figures.ts'
import type { LogFields } from '../log.ts'
import type { StreamFacts } from './stream-facts.ts'

/** @returns a sentence and the same for machines; undefined: it has not stopped */
export function stoppedWords({ stopped, group }: StreamFacts): { message: string; fields: LogFields } | undefined {
  if (stopped === undefined) return undefined
  const { settled, unsettled, uncommitted, hasLeft } = stopped
  const rest =
    unsettled === 0
      ? ''
      : `; ${counted(unsettled, 'record')} read and not settled ${unsettled === 1 ? 'is' : 'are'} read again`
  const place = hasLeft ? (group.rebalances === 0 ? 'no group joined' : 'group left') : NOT_LEFT
  return {
    message: `Stopped: ${counted(settled, 'record')} settled, ${commits(stopped, group)}, ${place}${rest}.`,
    fields: {
      settled_records: settled,
      unsettled_records: unsettled,
      uncommitted_partitions: uncommitted,
      left: hasLeft,
    },
  }
}

const NOT_LEFT = 'group not left: it gives the partitions to others when the session times out'

function commits({ uncommitted }: { readonly uncommitted: number }, { commits }: StreamFacts['group']): string {
  if (uncommitted > 0)
    return `the last offsets of ${counted(uncommitted, 'partition')} not committed (what is behind them is read again)`
  return commits.taken > 0 ? 'offsets committed' : 'nothing to commit'
}
