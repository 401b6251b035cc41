// Which checkpoints are due and what they count, a record at a time: what the ledger is tested against.

import type { Segment } from '../segment.ts'
import type { Track } from '../types.ts'

export type Scope = Track | 'all' | 'none'

export interface Received {
  readonly track: Track
  readonly segment: Segment
  how: 'written' | 'rejected' | undefined
  counted: boolean
}

interface Given {
  readonly id: number
  readonly scope: Scope
  readonly before: readonly Received[]
}

/** decisions.md#states-keep-their-streams-order and decisions.md#each-record-is-counted-once, a record at a time. */
export class CheckpointRules {
  readonly records: Received[] = []
  waiting: Given[] = []

  checkpoint(id: number, scope: Scope): void {
    const before = this.records.filter(({ track }) => typeof scope === 'string' || track === scope)
    this.waiting.push({ id, scope, before })
  }

  /** Due ones by scope, in order, with their counts. */
  take(): string[] {
    const due: string[] = []
    const behind = new Set<Scope>()
    for (const given of this.waiting) {
      const { scope, before } = given
      const others = [...behind].filter((other) => other !== 'none')
      const blocked =
        behind.has(scope) || (scope !== 'none' && (behind.has('all') || (scope === 'all' && others.length > 0)))
      if (blocked || before.some(({ how }) => !how)) {
        behind.add(scope)
        continue
      }
      due.push(this.#count(given))
      this.waiting = this.waiting.filter((other) => other !== given)
    }
    return due
  }

  /** What no checkpoint before it in arrival order covers. */
  #count({ id, scope, before }: Given): string {
    const covered = scope === 'none' ? [] : before
    const own = covered.filter((record) => !record.counted && !this.#coveredEarlier(id, record))
    for (const record of own) record.counted = true
    const written = own.filter(({ how }) => how === 'written').length
    return `${id} ${trackNameOf(scope)} ${written}+${own.length - written}`
  }

  #coveredEarlier(id: number, record: Received): boolean {
    return this.waiting.some(
      ({ id: other, scope, before }) => other < id && scope !== 'none' && before.includes(record),
    )
  }
}

export function trackNameOf(scope: Scope): string {
  return typeof scope === 'string' ? scope : scope.name
}
