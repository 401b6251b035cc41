// A source of which somebody else chooses what comes, when its commits end and when its tracks are taken away.

import type { TracksLost, Counts, TracksRevoked, Item } from '../../../src/core/types.ts'
import type { Laws } from '../laws.ts'
import type { Fact, Mark, Writer } from '../script.ts'
import { ScriptedSource, type Yielded } from '../scripted-source.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { Letter } from './worlds.ts'

export class ChosenSource extends ScriptedSource {
  /** To be called with what comes; there while something is asked for. */
  come: ((coming: Letter | 'end' | 'breaks') => void) | undefined
  /** To be called when a commit ends; there while one is under way. */
  commit: ((how: 'ends' | 'breaks') => void) | undefined
  take: ((kind: 'lost' | 'revoked', tracks: readonly number[]) => void) | undefined
  readonly #clock: VirtualClock
  readonly #laws: Laws
  readonly #writer: Writer
  readonly #isQuick: boolean

  /** @param isQuick whether its commits end at once */
  constructor(parts: ConstructorParameters<typeof ScriptedSource>, writer: Writer, isQuick: boolean) {
    super(...parts)
    this.#clock = parts[2]
    this.#laws = parts[3]
    this.#writer = writer
    this.#isQuick = isQuick
  }

  override async *read(
    stop: AbortSignal,
    lost: TracksLost,
    revoked: TracksRevoked,
  ): AsyncGenerator<readonly Item<Mark, Fact>[]> {
    this.take = (kind, tracks) =>
      void (kind === 'lost' ? this.lose({ tracks, afterMs: 0 }, lost) : this.revoke({ tracks, afterMs: 0 }, revoked))
    for (;;) {
      this.#laws.pulled()
      const { promise, resolve } = Promise.withResolvers<Letter | 'end' | 'breaks'>()
      this.come = resolve
      stop.addEventListener('abort', () => resolve('end'), { once: true })
      const coming = await promise
      this.come = undefined
      if (stop.aborted || coming === 'end') return
      if (coming === 'breaks') this.#break('the source broke', false)
      if (coming.gapMs > 0) await this.#clock.wait(coming.gapMs, stop)
      if (stop.aborted) return
      const { items, buffer } = this.chunkOf(coming.steps.map((step) => this.#writer.write(step) as Yielded))
      yield items
      buffer.fill('#')
    }
  }

  override async settled(mark: Mark, counts: Counts): Promise<void> {
    this.#laws.commitBegins(mark, counts)
    const how = this.#isQuick || (await new Promise<'ends' | 'breaks'>((resolve) => (this.commit = resolve)))
    this.commit = undefined
    if (how === 'breaks') this.#break('the commit broke', true)
    this.#laws.commitEnds(mark)
  }

  #break(why: string, stops: boolean): never {
    this.#laws.cause(why, stops, 'system')
    throw new Error(why)
  }
}
