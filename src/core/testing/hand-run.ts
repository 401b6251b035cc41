// For tests: a run of the engine whose input, answers and time are given by hand.

import { FixedPermits } from '../concurrency/fixed-permits.ts'
import { deliver, type Limits } from '../deliver.ts'
import { asConnectorError, type ConnectorError } from '../errors.ts'
import { Tally } from '../tally.ts'
import type { TracksLost, CheckpointItem, DeliveryWatch, TracksRevoked, Item, Outcome } from '../types.ts'
import type { RecordItem, Rejects, Request, Track } from '../types.ts'
import { Wakeup } from '../wakeup.ts'
import { recordOf } from './bodies.ts'
import { HandClock, settle } from './hand-clock.ts'
import { delivered } from './outcomes.ts'

export const orders: Track = { name: 'orders' }
export const clients: Track = { name: 'clients' }
/** One for each track. */
const tables = new Map([orders, clients].map((track) => [track, { name: track.name, keepLast: true }]))

const LIMITS: Limits = {
  maxPoints: 2,
  maxBytes: 4000,
  maxWaitMs: 1000,
  lingerMs: 20,
  bufferBytes: 1e6,
  retryForMs: 60_000,
  guardMs: 5000,
  graceMs: 10_000,
}

/** A record that is the version `v` of its row; each is a row of its own unless `key` says which. */
export const record = (v: number, key = v, track = orders): RecordItem<number> =>
  recordOf(`{"v":${v}}`, { track, table: tables.get(track)!, key, origin: v })

/** One that cannot become a point. */
export const bad = (v: number): Item<string, number> => {
  return { kind: 'rejected', track: orders, reason: 'it has no key', origin: v, held: 0 }
}

export const checkpoint = (name: string, track = orders): CheckpointItem<string> => {
  return { kind: 'checkpoint', scope: track, checkpoint: name, bytes: 0 }
}

/** An attempt whose answer is still to come. */
interface Attempt {
  readonly versions: readonly number[]
  readonly answer: (outcome: Outcome) => void
}

export class HandRun {
  readonly clock = new HandClock()
  /** The versions in each request, one attempt after another. */
  readonly sent: number[][] = []
  readonly committed: string[] = []
  readonly rejected: number[] = []
  readonly watches: DeliveryWatch<string>[] = []
  /** Chunks taken of the input. */
  taken = 0
  /** What the run came to; undefined: it goes on. */
  end: 'complete' | 'stopped' | ConnectorError | undefined
  /** What `Source.settled` throws. */
  commitFault: Error | undefined
  lost: TracksLost | undefined
  revoked: TracksRevoked | undefined
  readonly #stop = new AbortController()
  readonly #chunks: (readonly Item<string, number>[] | Error | undefined)[] = []
  readonly #more = new Wakeup()
  readonly #attempts: Attempt[] = []

  /** @param reject what becomes of a rejected record; by default it is kept */
  constructor(limits: Partial<Limits> = {}, reject: Rejects<number>['put'] = () => Promise.resolve()) {
    const rejects: Rejects<number> = {
      overlaps: false,
      placeOf: () => undefined,
      put: async (rejected, signal) => {
        this.rejected.push(rejected.origin)
        return reject(rejected, signal)
      },
    }
    const parts = {
      source: {
        read: (signal: AbortSignal, lost: TracksLost, revoked: TracksRevoked) => this.#read(signal, lost, revoked),
        settled: async (name: string): Promise<void> => {
          if (this.commitFault) throw this.commitFault
          this.committed.push(name)
        },
      },
      transport: { send: (request: Request, signal: AbortSignal) => this.#send(request, signal) },
      permits: new FixedPermits({ limit: 4 }),
      rejects,
      clock: this.clock,
      limits: { ...LIMITS, ...limits },
      tally: new Tally(),
      watches: this.watches,
      hashSeed: 1,
    }
    deliver(parts, this.#stop.signal).then(
      (end) => (this.end = end),
      (error: unknown) => (this.end = asConnectorError(error)),
    )
  }

  /** A chunk of the input; an error: the input fails. */
  async give(...items: readonly Item<string, number>[] | [Error]): Promise<void> {
    this.#chunks.push(items[0] instanceof Error ? items[0] : (items as readonly Item<string, number>[]))
    this.#more.notify()
    await settle()
  }

  /** The input ends. */
  async finish(): Promise<void> {
    this.#chunks.push(undefined)
    this.#more.notify()
    await settle()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await settle()
  }

  /** Answers the attempt that holds this version. */
  async answer(version: number, outcome: Outcome = delivered): Promise<void> {
    const index = this.#attempts.findIndex(({ versions }) => versions.includes(version))
    if (index < 0) throw new Error(`no request with version ${version} is in flight`)
    this.#attempts.splice(index, 1)[0]!.answer(outcome)
    await settle()
  }

  /** Time passes. */
  async pass(ms: number): Promise<void> {
    await this.clock.to(this.clock.now() + ms)
  }

  async *#read(
    signal: AbortSignal,
    lost: TracksLost,
    revoked: TracksRevoked,
  ): AsyncGenerator<readonly Item<string, number>[]> {
    this.lost = lost
    this.revoked = revoked
    signal.addEventListener('abort', () => this.#more.notify(), { once: true })
    for (;;) {
      while (this.#chunks.length === 0 && !signal.aborted) await this.#more.wait()
      const chunk = signal.aborted ? undefined : this.#chunks.shift()
      if (chunk === undefined) return
      if (chunk instanceof Error) throw chunk
      this.taken++
      yield chunk
    }
  }

  #send({ body }: Request, signal: AbortSignal): Promise<Outcome> {
    const versions = (JSON.parse(Buffer.from(body).toString()) as { v: number }[]).map(({ v }) => v)
    this.sent.push(versions)
    return new Promise((resolve) => {
      this.#attempts.push({ versions, answer: resolve })
      const cut = { status: 'retry', cause: 'network', ambiguous: true, congestion: false, reason: 'cut off' } as const
      signal.addEventListener('abort', () => resolve(cut), { once: true })
    })
  }
}
