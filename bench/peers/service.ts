// The service that all peers send to where damage is looked for: it stores rows, does one kind of harm, and says afterwards what
// is wrong. In the process of the bench, so that it knows what was stored when a checkpoint came.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { listening, type Listening } from '../../src/process/testing/listening.ts'
import { createRandom } from '../random.ts'
import type { Change, Job } from './job.ts'

/** Each with its words in a table. */
export const HARMS = {
  none: 'none',
  fail: '5 % answer 500',
  throttle: '1 % answer 429, Retry-After 1 s',
  reset: '1 % are stored, then reset',
  late: '2 % answer 504 and land 0.3 to 0.9 s later',
  kill: '`kill -9` in the middle',
  limit: '12 a second for 30 s, then none',
} as const
export type Harm = keyof typeof HARMS

/** Rows of each kind, and checkpoints that came before everything in front of them was stored. */
export type Damage = Record<'lost' | 'stale' | 'altered' | 'doubled' | 'early', number>

interface Row {
  /** Which order or event it is. */
  readonly of: string
  readonly n: number
  readonly amount: string
}

export class HarmfulService implements AsyncDisposable {
  /** Called with the points so far, before a request is answered. */
  stored: (points: number) => void = () => {}
  #points = 0
  readonly #job: Job
  readonly #harm: Harm
  readonly #random = createRandom(11)
  /** By table and key, which the sender of an event makes up. */
  readonly #rows = new Map<string, Row>()
  /** The newest version that was ever stored. */
  readonly #newest = new Map<string, number>()
  #early = 0
  #second = { at: 0, requests: 0 }
  #began = 0
  #listening: Listening | undefined

  private constructor(job: Job, harm: Harm) {
    this.#job = job
    this.#harm = harm
  }

  static async start(job: Job, harm: Harm): Promise<HarmfulService> {
    const service = new HarmfulService(job, harm)
    service.#listening = await listening(
      createServer((request, answer) => void service.#take(request, answer).catch(() => answer.destroy())),
    )
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listening!.port}`
  }

  /** To be called with each checkpoint as it comes. @param before the changes that it says are stored */
  checkpoint(before: readonly Change[]): void {
    if (before.some((it) => (this.#newest.get(nameOf(it)) ?? 0) < it.n)) this.#early++
  }

  /** What is wrong of the rows, once those that land late have landed. */
  async damage(): Promise<Damage> {
    await wait(1500)
    const damage = { lost: 0, stale: 0, altered: 0, doubled: 0, early: this.#early }
    const stored = Map.groupBy(this.#rows.values(), (row) => row.of)
    for (const { n, amount, ...it } of new Map(this.#job.changes.map((change) => [nameOf(change), change])).values()) {
      const rows = stored.get(nameOf(it)) ?? []
      if (rows.length === 0) damage.lost++
      else if (rows.some((row) => row.n !== n)) damage.stale++
      else if (rows.some((row) => row.amount !== amount)) damage.altered++
      damage.doubled += Math.max(rows.length - 1, 0)
    }
    return damage
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]()
  }

  async #take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const [body, table] = [await text(request), /\/table\/(\w+)\/data/.exec(request.url ?? '')?.[1]]
    const say = (code: number, headers = {}): void => {
      const status = code < 300 ? 'complete' : 'failed'
      answer.writeHead(code, { 'Content-Type': 'application/json', ...headers })
      answer.end(JSON.stringify({ code, message: 'as the bench says', status }))
    }
    if (table === undefined) return say(200)
    const [chance, late, harm] = [this.#random.below(1e6) / 1e6, 300 + this.#random.below(600), this.#harm]
    if (harm === 'limit' && this.#isOver()) return say(429)
    if (harm === 'fail' && chance < 0.05) return say(500)
    if (harm === 'throttle' && chance < 0.01) return say(429, { 'Retry-After': '1' })
    if (harm === 'late' && chance < 0.02) {
      setTimeout(() => this.#store(table, body), late)
      return say(504)
    }
    this.#store(table, body)
    if (harm === 'reset' && chance < 0.01) answer.destroy()
    else say(201)
  }

  /** Over 12 a second, in the first half minute. */
  #isOver(): boolean {
    const now = performance.now()
    this.#began ||= now
    const at = Math.floor(now / 1000)
    if (at !== this.#second.at) this.#second = { at, requests: 0 }
    return now - this.#began < 30_000 && ++this.#second.requests > 12
  }

  #store(table: string, body: string): void {
    // each number as its own text: a parsed one would hide what was altered
    const exact = (_: string, value: unknown, { source }: { source?: string }): unknown =>
      typeof value === 'number' ? source : value
    const parsed = JSON.parse(body, exact as (key: string, value: unknown) => unknown) as Record<string, string>[]
    const points = [parsed].flat()
    this.#points += points.length
    for (const { keys, ...row } of points) {
      const [of, n] = [`${table} ${row['id']}`, Number(row['n'])]
      this.#rows.set(`${table} ${row[keys![0]!]}`, { of, n, amount: row['amount'] ?? '' })
      this.#newest.set(of, Math.max(this.#newest.get(of) ?? 0, n))
    }
    this.stored(this.#points)
  }
}

function nameOf({ stream, id }: Pick<Change, 'stream' | 'id'>): string {
  return `${stream} ${id}`
}
