// What is produced to a topic of three partitions while a group reads it: new rows, 5 % newer versions of old ones, now and
// then a record that cannot be stored; and what must be in the table at the end. Seeded. Uses nothing of the connector.

import { Random } from '../engine/random.ts'
import type { NewRecord } from '../kafka/client.ts'

/** A version of a row; later versions of a partition have larger numbers. */
export interface Version {
  readonly id: number
  readonly partition: number
  readonly version: number
}

/** Where a record came to lie. */
export interface Produced extends Version {
  readonly offset: number
  /** It cannot be stored. */
  readonly isPoison: boolean
}

export const PARTITIONS = 3
const UPDATES = 0.05
const POISON = 0.0005
/** Half of the updates are of rows that may still be under way. */
const RECENT = 300
const FILLER = 'abcdefghijklmnopqrstuvwxyz'.repeat(5)

/** How many kinds of rows there are: k0, k1 and so on. */
export const KINDS = 8

/** What the field `kind` of a row is in every version. */
export function kindOf(id: number): string {
  return `k${id % KINDS}`
}

/** The value of a record, about 200 bytes. */
export function textOf({ id, partition, version }: Version): string {
  return `{"id":${id},"kind":"${kindOf(id)}","partition":${partition},"version":${version},"price":${version}.10,"text":"${FILLER}"}`
}

export class Workload {
  /** By partition, in the order of the log. */
  readonly produced: Produced[][] = Array.from({ length: PARTITIONS }, () => [])
  readonly #random: Random
  readonly #ids: number[][] = Array.from({ length: PARTITIONS }, () => [])
  readonly #versions = new Map<number, number>()
  #count = 0
  #nextId = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  get count(): number {
    return this.#count
  }

  /** Records that follow, one partition after another, and what tells where they came to lie. */
  next(count: number): { records: NewRecord[]; landed: (offsets: readonly bigint[]) => void } {
    const made = Array.from({ length: count }, () => this.#one())
    const records = made.map((one): NewRecord => {
      const { id, partition, isPoison } = one
      const value = isPoison ? textOf(one).slice(0, -5) : textOf(one)
      return { partition, key: String(id), value, headers: isPoison ? [['of', 'the workload']] : [] }
    })
    const landed = (offsets: readonly bigint[]): void => {
      for (const [index, one] of made.entries())
        this.produced[one.partition]!.push({ ...one, offset: Number(offsets[index]) })
      this.#count += made.length
    }
    return { records, landed }
  }

  /** The newest version of each row. */
  model(): Map<number, number> {
    const rows = new Map<number, number>()
    for (const partition of this.produced)
      for (const { id, version, isPoison } of partition) if (!isPoison) rows.set(id, version)
    return rows
  }

  #one(): Omit<Produced, 'offset'> {
    const random = this.#random
    const partition = random.below(PARTITIONS)
    const ids = this.#ids[partition]!
    const isPoison = random.next() < POISON
    let id = this.#nextId
    if (ids.length > 0 && random.next() < UPDATES) {
      const from = random.next() < 0.5 ? Math.max(0, ids.length - RECENT) : 0
      id = ids[from + random.below(ids.length - from)]!
    } else {
      this.#nextId++
      if (!isPoison) ids.push(id)
    }
    const version = (this.#versions.get(id) ?? 0) + 1
    this.#versions.set(id, version)
    return { id, partition, version, isPoison }
  }
}
