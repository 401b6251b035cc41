// The service that all peers send to where damage is looked for: it stores rows, does one kind of harm, and says afterwards what
// is wrong. In the process of the bench, so that it knows what was stored when a checkpoint came.

import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createRandom } from '../random.ts'
import type { Job } from './job.ts'

export type Harm = 'none' | '500' | '429' | 'reset' | 'late' | 'kill' | 'limit'

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
  requests = 0
  points = 0
  readonly #job: Job
  readonly #harm: Harm
  readonly #random = createRandom(11)
  readonly #orders = new Map<number, Row>()
  /** Each with the key that its sender made up. */
  readonly #events = new Map<string, Row>()
  /** The newest version of each order that was ever stored. */
  readonly #newest = new Map<number, number>()
  readonly #seen = new Set<number>()
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

  /** To be called with each checkpoint as it is printed. */
  checkpoint(position: number): void {
    const newest = new Map<number, number>()
    for (const { stream, id, n } of this.#job.changes.slice(0, position)) {
      if (stream === 'orders') newest.set(id, n)
      else if (!this.#seen.has(n)) return void this.#early++
    }
    for (const [id, n] of newest) if ((this.#newest.get(id) ?? 0) < n) return void this.#early++
  }

  /** What is wrong of the rows, once those that land late have landed. */
  async damage(): Promise<Damage> {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
    const final = new Map(this.#job.changes.filter(({ stream }) => stream === 'orders').map((it) => [it.id, it]))
    const events = Map.groupBy(this.#events.values(), ({ n }) => n)
    let [lost, stale, altered, doubled] = [0, 0, 0, 0]
    for (const { id, n, amount } of final.values()) {
      const row = this.#orders.get(id)
      if (row === undefined) lost++
      else if (row.n !== n) stale++
      else if (row.amount !== amount) altered++
    }
    for (const { stream, n, amount } of this.#job.changes) {
      if (stream !== 'events') continue
      const rows = events.get(n) ?? []
      if (rows.length === 0) lost++
      else if (rows.some((it) => it.amount !== amount)) altered++
      doubled += Math.max(rows.length - 1, 0)
    }
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
    this.requests++
    if (this.#isOver()) return say(answer, 429)
    const chance = this.#random.below(1e6) / 1e6
    if (this.#harm === '500' && chance < 0.05) return say(answer, 500)
    if (this.#harm === '429' && chance < 0.01) return say(answer, 429, { 'Retry-After': '1' })
    if (this.#harm === 'late' && chance < 0.02) {
      const timer = setTimeout(
        () => this.#late.delete(timer) && this.#store(table, body),
        300 + (600 * this.#random.below(1e6)) / 1e6,
      )
      this.#late.add(timer)
      return say(answer, 504)
    }
    this.#store(table, body)
    if (this.#harm === 'reset' && chance < 0.01) return void answer.destroy()
    say(answer, 201)
  }

  /** Over 12 a second, in the first half minute. */
  #isOver(): boolean {
    if (this.#harm !== 'limit') return false
    const now = performance.now()
    this.#began ||= now
    const at = Math.floor(now / 1000)
    if (at !== this.#second.at) this.#second = { at, requests: 0 }
    return now - this.#began < LIMIT_MS && ++this.#second.requests > LIMIT_A_SECOND
  }

  #store(table: string, body: string): void {
    const rows = exact(body)
    this.points += rows.length
    for (const row of rows) {
      const [id, n, amount] = [Number(row['id']), Number(row['n']), row['amount'] ?? '']
      if (table === 'orders') {
        this.#orders.set(id, { n, amount })
        this.#newest.set(id, Math.max(this.#newest.get(id) ?? 0, n))
      } else {
        const [key = ''] = JSON.parse(row['keys'] ?? '[]') as string[]
        this.#events.set(row[key] ?? '', { n, amount })
        this.#seen.add(n)
      }
    }
  }
}

/** The points of a body, each value as its own text: a parsed number would hide what was altered. */
function exact(body: string): Record<string, string>[] {
  const keep = (_: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number'
      ? source
      : Array.isArray(value) && value.every((it) => typeof it === 'string')
        ? JSON.stringify(value)
        : value
  const points = JSON.parse(body, keep as (key: string, value: unknown) => unknown) as unknown
  return (Array.isArray(points) ? points : [points]) as Record<string, string>[]
}

function say(answer: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  const text = JSON.stringify({
    code: status,
    message: 'as the bench says',
    status: status < 300 ? 'complete' : 'failed',
  })
  answer.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text)
}
