// The local service as the scripts of the promises see it: which versions it has stored, in their order, and what no sender may do.

import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import type { LocalServiceOptions } from '../../src/local-service/context.ts'
import type { SeenUpsert } from '../../src/local-service/types.ts'
import { KEY, TABLE, type Planned } from './door.ts'

/** What a record of `versions` holds beside its id. */
interface Point {
  readonly id: number
  /** The place of the record in its plan. */
  readonly v: number
}

export class WatchedService implements AsyncDisposable {
  service!: LocalService
  /** By id: the newest version that was acknowledged. */
  readonly acknowledged = new Map<number, number>()
  /** Laws that were broken; empty when all is well. */
  readonly faults = new Set<string>()
  upserts = 0
  /** The versions of the points that came, in their order. */
  readonly sent: number[] = []
  readonly #underWay = new Map<SeenUpsert, readonly Point[]>()
  #gate:
    | { readonly holds: (points: readonly Point[]) => boolean; readonly open: PromiseWithResolvers<void> }
    | undefined

  static async open(options: LocalServiceOptions = {}): Promise<WatchedService> {
    const watched = new WatchedService()
    watched.service = await startLocalService({
      clients: [{ id: 7, key: KEY }],
      onUpsert: (upsert) => watched.#arrived(upsert),
      onAnswered: (upsert, status) => watched.#answered(upsert, status),
      ...options,
    })
    return watched
  }

  get url(): string {
    return this.service.url
  }

  get underWay(): number {
    return this.#underWay.size
  }

  get rows(): readonly string[] {
    return this.service.rows(TABLE)
  }

  /** Holds the answers to upserts with such a point until `letGo`. */
  hold(holds: (points: readonly Point[]) => boolean): void {
    this.#gate = { holds, open: Promise.withResolvers() }
  }

  letGo(): void {
    this.#gate?.open.resolve()
    this.#gate = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.letGo()
    await this.service[Symbol.asyncDispose]()
  }

  async #arrived(upsert: SeenUpsert): Promise<void> {
    if (upsert.table !== TABLE) return
    this.upserts++
    const points = JSON.parse(Buffer.from(upsert.body).toString()) as readonly Point[]
    const others = new Set([...this.#underWay.values()].flat().map(({ id }) => id))
    for (const { id, v } of points) {
      this.sent.push(v)
      if (others.has(id)) this.faults.add(`two versions of row ${id} are under way together`)
      if (v < (this.acknowledged.get(id) ?? -1)) this.faults.add(`row ${id} goes back to version ${v}`)
    }
    this.#underWay.set(upsert, points)
    if (this.#gate?.holds(points)) await this.#gate.open.promise
  }

  #answered(upsert: SeenUpsert, status: number | 'reset'): void {
    const points = this.#underWay.get(upsert)
    this.#underWay.delete(upsert)
    if (typeof status === 'number' && status < 300)
      for (const { id, v } of points ?? []) this.acknowledged.set(id, Math.max(v, this.acknowledged.get(id) ?? -1))
  }
}

/** Records whose ids are given, each with its place as its version. @param more members behind them */
export function versions(ids: readonly number[], more: (at: number) => string = () => ''): Planned[] {
  return ids.map((id, at) => ({ id, data: `{"id":${id},"v":${at}${more(at)}}` }))
}

/** @returns the rows that are to be there at the end: the last version of each id */
export function lastRows(records: readonly Planned[]): string[] {
  const last = new Map(records.map(({ id, data }) => [id, data.replace('{', '{"keys":["id"],')]))
  return [...last.values()].toSorted()
}
