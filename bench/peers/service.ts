// The service that all peers send to where damage is looked for: it stores rows, does one kind of harm, and says afterwards what
// is wrong. In the process of the bench, so that it knows what was stored when a checkpoint came.

import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../random.ts'
import type { Change, Job } from './job.ts'

/** Each with its words in a table. */
export const HARMS = {
  none: 'none',
  '500': '5 % answer 500',
  '429': '1 % answer 429, Retry-After 1 s',
  reset: '1 % are stored, then reset',
  late: '2 % answer 504 and land 0.3 to 0.9 s later',
  kill: '`kill -9` in the middle',
  limit: '12 a second for 30 s, then none',
} as const
export type Harm = keyof typeof HARMS

export interface Damage {
  readonly lost: number
  readonly stale: number
  readonly altered: number
  readonly doubled: number
  /** Checkpoints that came before everything in front of them was stored. */
  readonly early: number
}

interface Row {
  readonly n: number
  readonly amount: string
}

const LIMIT_A_SECOND = 12
const LIMIT_MS = 30_000
const SETTLED_MS = 1500

export class HarmfulService implements AsyncDisposable {
  /** Called with the points so far, before a request is answered. */
  stored: (points: number) => void = () => {}
  #points = 0
  readonly #job: Job
  readonly #harm: Harm
  readonly #random = createRandom(11)
  readonly #orders = new Map<number, Row>()
  /** Each with the key that its sender made up. */
  readonly #events = new Map<string, Row>()
  /** By what was ever stored of it: the newest version of an order, and the events. */
  readonly #seen = { orders: new Map<number, number>(), events: new Map<number, number>() }
  readonly #late = new Set<NodeJS.Timeout>()
  #early = 0
  #second = { at: 0, requests: 0 }
  #began = 0
  readonly #server = createServer((request, answer) => {
    void text(request)
      .then((body) => this.#take(request.url ?? '', body, answer))
      .catch(() => answer.destroy())
  })

  private constructor(job: Job, harm: Harm) {
    this.#job = job
    this.#harm = harm
  }

  static async start(job: Job, harm: Harm): Promise<HarmfulService> {
    const service = new HarmfulService(job, harm)
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** To be called with each checkpoint as it comes. @param before the changes that it says are stored */
  checkpoint(before: readonly Change[]): void {
    if (before.some(({ stream, id, n }) => (this.#seen[stream].get(id) ?? 0) < n)) this.#early++
  }

  /** What is wrong of the rows, once those that land late have landed. */
  async damage(): Promise<Damage> {
    await wait(SETTLED_MS)
    const changes = Map.groupBy(this.#job.changes, ({ stream }) => stream)
    const events = Map.groupBy(this.#events.values(), ({ n }) => n)
    let [lost, stale, altered, doubled] = [0, 0, 0, 0]
    const judge = (rows: readonly Row[], { n, amount }: Change): void => {
      if (rows.length === 0) lost++
      else if (rows[0]!.n !== n) stale++
      else if (rows.some((it) => it.amount !== amount)) altered++
      doubled += Math.max(rows.length - 1, 0)
    }
    for (const it of new Map(changes.get('orders')?.map((order) => [order.id, order])).values())
      judge([this.#orders.get(it.id) ?? []].flat(), it)
    for (const it of changes.get('events') ?? []) judge(events.get(it.n) ?? [], it)
    return { lost, stale, altered, doubled, early: this.#early }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#late) clearTimeout(timer)
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #take(url: string, body: string, answer: ServerResponse): void {
    const table = /\/table\/(\w+)\/data/.exec(url)?.[1]
    if (table === undefined) return void answer.writeHead(200).end('{}')
    const [chance, harm] = [this.#random.below(1e6) / 1e6, this.#harm]
    if (harm === 'limit' && this.#isOver()) return say(answer, 429)
    if (harm === '500' && chance < 0.05) return say(answer, 500)
    if (harm === '429' && chance < 0.01) return say(answer, 429, { 'Retry-After': '1' })
    if (harm === 'late' && chance < 0.02) {
      this.#late.add(setTimeout(() => this.#store(table, body), 300 + 600 * (this.#random.below(1e6) / 1e6)))
      return say(answer, 504)
    }
    this.#store(table, body)
    if (harm === 'reset' && chance < 0.01) return void answer.destroy()
    say(answer, 201)
  }

  /** Over 12 a second, in the first half minute. */
  #isOver(): boolean {
    const now = performance.now()
    this.#began ||= now
    const at = Math.floor(now / 1000)
    if (at !== this.#second.at) this.#second = { at, requests: 0 }
    return now - this.#began < LIMIT_MS && ++this.#second.requests > LIMIT_A_SECOND
  }

  #store(table: string, body: string): void {
    // each number as its own text: a parsed one would hide what was altered
    const exact = (_: string, value: unknown, { source }: { source?: string }): unknown =>
      typeof value === 'number' ? source : value
    const points = [JSON.parse(body, exact as (key: string, value: unknown) => unknown)].flat() as Record<
      string,
      string
    >[]
    this.#points += points.length
    for (const { keys = '', id, n, amount = '', ...row } of points) {
      const stored = { n: Number(n), amount }
      const seen = this.#seen[table === 'orders' ? 'orders' : 'events']
      if (table === 'orders') this.#orders.set(Number(id), stored)
      else this.#events.set(row[keys[0]!] ?? String(n), stored)
      seen.set(Number(id), Math.max(seen.get(Number(id)) ?? 0, Number(n)))
    }
    this.stored(this.#points)
  }
}

function say(answer: ServerResponse, code: number, headers: Record<string, string> = {}): void {
  const status = code < 300 ? 'complete' : 'failed'
  answer.writeHead(code, { 'Content-Type': 'application/json', ...headers })
  answer.end(JSON.stringify({ code, message: 'as the bench says', status }))
}
