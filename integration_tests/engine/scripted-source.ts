// Yields a script's items a chunk at a time, out of buffers that are overwritten as soon as the next chunk is asked
// for; commits into the laws. Ends, throws, fails to commit and loses tracks as the history says.

import type {
  TracksLost,
  CheckpointItem,
  ClosedItem,
  Counts,
  TracksRevoked,
  Item,
  RecordItem,
  RejectedItem,
  Source,
} from '../../src/core/types.ts'
import type { History } from './history.ts'
import type { Laws } from './laws.ts'
import { cutAt, type Entry, type Fact, type Mark, type Script } from './script.ts'
import type { VirtualClock } from './virtual-clock.ts'

export type Taking = Pick<Entry & { kind: 'lost' }, 'tracks' | 'afterMs'>
export type Yielded = Exclude<Entry, { kind: 'lost' | 'revoked' }>

const never = new AbortController().signal

export class ScriptedSource implements Source<Mark, Fact> {
  readonly #history: History
  readonly #script: Script
  readonly #clock: VirtualClock
  readonly #laws: Laws
  #commits = 0

  constructor(history: History, script: Script, clock: VirtualClock, laws: Laws) {
    this.#history = history
    this.#script = script
    this.#clock = clock
    this.#laws = laws
  }

  async *read(
    signal: AbortSignal,
    lost: TracksLost,
    revoked: TracksRevoked,
  ): AsyncGenerator<readonly Item<Mark, Fact>[]> {
    for (const { gapMs, entries: all } of this.#script.chunks) {
      this.#laws.pulled()
      for (const entry of all) {
        if (entry.kind === 'lost') void this.lose(entry, lost)
        else if (entry.kind === 'revoked') void this.revoke(entry, revoked)
      }
      if (gapMs > 0) await this.#clock.wait(gapMs, signal)
      if (signal.aborted) return
      const { items, buffer } = this.chunkOf(all.filter((entry) => entry.kind !== 'lost' && entry.kind !== 'revoked'))
      // somebody looks right after they have lingered
      this.#clock.at(this.#history.limits.lingerMs + 0.5, () => undefined)
      yield items
      buffer.fill('#')
    }
    this.#laws.pulled()
    if (signal.aborted || !this.#history.sourceThrows) return
    this.#laws.cause('the source broke', false, 'system')
    throw new Error('the source broke')
  }

  /** Their items, in a buffer that is to be overwritten once they are taken. */
  protected chunkOf(entries: readonly Yielded[]): {
    readonly items: readonly Item<Mark, Fact>[]
    readonly buffer: Buffer
  } {
    const buffer = Buffer.from(entries.map((entry) => (entry.kind === 'record' ? entry.fact.text : '')).join(''))
    let at = 0
    const items = entries.map((entry) => {
      const item = this.#item(entry, buffer, at)
      if (entry.kind === 'record') at += entry.fact.text.length
      return item
    })
    this.#arrive(items, entries)
    return { items, buffer }
  }

  /** They have arrived when the engine looks at the first of them: a run that fails in that very instant takes none. */
  #arrive(items: Item<Mark, Fact>[], entries: readonly Yielded[]): void {
    const [first] = items
    let isSeen = first === undefined
    if (isSeen) this.#laws.yielded(entries)
    const get = (): typeof first => {
      if (!isSeen) this.#laws.yielded(entries)
      isSeen = true
      return first
    }
    if (first) Object.defineProperty(items, 0, { get })
  }

  /** At its time, too. */
  protected async revoke({ tracks, afterMs }: Taking, revoked: TracksRevoked): Promise<void> {
    if (afterMs > 0) await this.#clock.wait(afterMs, never)
    const leaves = this.#laws.given(tracks)
    if (leaves.length > 0)
      revoked(
        leaves.map((leave) => ({ track: this.#script.tracks[leave.track]!, settled: () => this.#laws.left(leave) })),
      )
  }

  /** At its time, whatever has become of the run. */
  protected async lose({ tracks, afterMs }: Taking, lost: TracksLost): Promise<void> {
    if (afterMs > 0) await this.#clock.wait(afterMs, never)
    const losses = this.#laws.lost(tracks)
    if (losses.length > 0)
      lost(losses.map((loss) => ({ track: this.#script.tracks[loss.track]!, settled: () => this.#laws.letGo(loss) })))
  }

  async settled(mark: Mark, counts: Counts): Promise<void> {
    const nth = this.#commits++
    this.#laws.commitBegins(mark, counts)
    if (this.#history.commit.ms > 0) await this.#clock.wait(this.#history.commit.ms, never)
    if (nth === this.#history.commit.throwsAt) {
      this.#laws.cause('the commit broke', true, 'system')
      throw new Error('the commit broke')
    }
    this.#laws.commitEnds(mark)
  }

  #item(entry: Yielded, buffer: Buffer, at: number): Item<Mark, Fact> {
    const { tracks, tables } = this.#script
    if (entry.kind === 'checkpoint') {
      const { scope, bytes } = entry.mark
      return {
        kind: 'checkpoint',
        scope: typeof scope === 'string' ? scope : tracks[scope]!,
        checkpoint: entry.mark,
        bytes,
      } satisfies CheckpointItem<Mark>
    }
    if (entry.kind === 'closed') {
      const { closing } = entry
      return {
        kind: 'closed',
        track: tracks[closing.track]!,
        settled: () => this.#laws.settled(closing),
      } satisfies ClosedItem
    }
    const { fact } = entry
    const common = { track: tracks[fact.track]!, origin: fact, held: fact.v % 7 }
    if (entry.kind === 'rejected')
      return { ...common, kind: 'rejected', reason: 'not a record' } satisfies RejectedItem<Fact>
    const cut = at + cutAt(this.#history.seed, fact)
    return {
      ...common,
      kind: 'record',
      table: tables[fact.table]!,
      key: fact.key,
      head: buffer,
      headFrom: at,
      headTo: cut,
      bytes: buffer,
      from: cut,
      to: at + fact.text.length,
    } satisfies RecordItem<Fact>
  }
}
