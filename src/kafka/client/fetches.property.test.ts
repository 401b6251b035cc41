// A law of all that lies between a socket and the source: whatever happens while answers are on their way, each record comes once, in its
// order, without gaps.

import { zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { SocketFetches } from './fetches.ts'
import { Membership } from './membership.ts'
import { PartitionReader } from './partition-reader.ts'
import { settle, TestClock } from './testing/clock.ts'
import { ZSTD } from './testing/fetched.ts'
import { memberEvents } from './testing/member.ts'
import { fetchRequest } from './testing/requests.ts'
import { FetchBudget } from '../log/fetch-budget.ts'
import { answerBytes, batchBytes, recordBytes } from '../log/testing/log.ts'

const TOPIC = 'topic-0'
const PARTITIONS = [0, 1]
const END = 60
/** Bytes that fill the budget. */
const FULL = 64 * 1024 * 1024

/** Batches of 3 offsets, of which the last one has no record. Each second one is compressed, so that it is unpacked later. */
const BATCHES = Array.from({ length: END / 3 }, (_, index) => {
  const headers: [] = []
  const records = [0, 1].map((offsetDelta) =>
    recordBytes({ timestampDelta: 0n, offsetDelta, key: null, value: Buffer.from('v'), headers }),
  )
  const bytes = Buffer.concat(records)
  const how = index % 2 === 0 ? { packed: bytes } : { packed: zstdCompressSync(bytes), attributes: ZSTD }
  return batchBytes({ firstOffset: BigInt(index * 3), count: 2, lastOffsetDelta: 2, ...how })
})

/** Up to two batches, the first of which holds the offset. */
function logFrom(offset: bigint): { batches: Buffer } {
  const first = Number(offset / 3n)
  return { batches: Buffer.concat(BATCHES.slice(first, first + 2)) }
}

type Step =
  | { readonly kind: 'send' | 'answer' | 'close'; readonly socket: number }
  | { readonly kind: 'pause' | 'resume' | 'found'; readonly partition: number }
  | { readonly kind: 'let go' | 'assigned again' | 'full' | 'room' | 'settle' }

const socket = fc.nat(1)
const partition = fc.constantFrom(...PARTITIONS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('send', 'answer'), socket }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close'), socket }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('pause', 'resume', 'found'), partition }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('let go', 'assigned again', 'full', 'room', 'settle') }) },
)

class Run {
  readonly faults: string[] = []
  readonly #next = new Map<number, bigint>()
  readonly #budget = new FetchBudget()
  #isFull = false
  readonly #membership: Membership
  readonly #reader: PartitionReader
  #sockets = [0, 1].map(() => this.#open())
  #ids = 0

  constructor() {
    const events = memberEvents({
      batch: ({ partition, records, next }) => {
        const from = this.#next.get(partition)!
        const due = Array.from({ length: Number(next - from) }, (_, index) => from + BigInt(index))
        const came = records.map(({ offset }) => offset)
        const isRight = came.join() === due.filter((offset) => offset % 3n !== 2n).join()
        if (!isRight) this.faults.push(`${partition} from ${from} to ${next}: ${came.join()}`)
        this.#next.set(partition, next)
      },
    })
    const clock = new TestClock()
    const times = { sessionTimeoutMs: 6000, rebalanceTimeoutMs: 60_000 }
    const fail = (error: unknown): void => void this.faults.push(String(error))
    const controls = { pause: () => undefined, resume: () => undefined }
    const budget = this.#budget
    this.#membership = new Membership(events, clock, times)
    const membership = this.#membership
    this.#reader = new PartitionReader({
      controls,
      membership,
      events,
      clock,
      budget,
      fail,
      end: fail,
      isHalted: () => false,
    })
    this.#assign()
  }

  get isAtEnd(): boolean {
    return PARTITIONS.every((partition) => this.#next.get(partition) === BigInt(END))
  }

  async take(step: Step): Promise<void> {
    if ('socket' in step) this.#onSocket(step.kind, step.socket)
    else if ('partition' in step) this.#onPartition(step.kind, step.partition)
    else if (step.kind === 'let go') this.#reader.letGo(this.#membership.owned)
    else if (step.kind === 'assigned again') this.#assign()
    else if (step.kind === 'full' || step.kind === 'room') this.#fill(step.kind === 'full')
    else await settle()
  }

  #open() {
    const reader = {
      canTake: () => true,
      reading: (topic: string, partition: number) => this.#reader.reading(topic, partition),
      fetched: (...given: Parameters<PartitionReader['fetched']>) => this.#reader.fetched(...given),
      outOfRange: () => undefined,
      unknown: () => undefined,
    }
    return { fetches: new SocketFetches({ reader, budget: this.#budget }), answer: undefined as Buffer | undefined }
  }

  #onSocket(kind: 'send' | 'answer' | 'close', index: number): void {
    const socket = this.#sockets[index]!
    const { fetches, answer } = socket
    if (kind === 'close') {
      fetches[Symbol.dispose]()
      this.#sockets[index] = this.#open()
    } else if (kind === 'answer') {
      socket.answer = undefined
      if (answer) fetches.frames.push(answer, () => undefined)
    } else if (!answer) {
      const id = ++this.#ids
      // what is not read is asked for where kafkajs takes it to be
      const offsets = PARTITIONS.map((one) => this.#reader.reading(TOPIC, one)?.next ?? BigInt(one))
      void fetches.send(fetchRequest([PARTITIONS.length]), id)
      socket.answer = answerBytes(id, [offsets.map(logFrom)])
    }
  }

  #onPartition(kind: 'pause' | 'resume' | 'found', partition: number): void {
    const owned = this.#membership.find(TOPIC, partition)!
    if (kind === 'pause') this.#reader.pause(owned)
    else if (kind === 'resume') this.#reader.resume(owned)
    else owned.awaitsPosition = !owned.awaitsPosition
  }

  /** Another generation begins at half of what was handed on. */
  #assign(): void {
    this.#membership.lost('over')
    this.#membership.joined('next')
    this.#reader.letGo([])
    for (const partition of PARTITIONS) this.#next.set(partition, ((this.#next.get(partition) ?? 0n) / 2n / 3n) * 3n)
    this.#membership.assign(
      PARTITIONS.map((partition) => ({
        topic: TOPIC,
        partition,
        offset: this.#next.get(partition)!,
        high: BigInt(END),
      })),
    )
  }

  #fill(isFull: boolean): void {
    if (isFull !== this.#isFull) this.#budget.add(isFull ? FULL : -FULL)
    this.#isFull = isFull
  }

  /** Lets all go on to the end. */
  finish(): void {
    this.#fill(false)
    for (const partition of PARTITIONS) {
      this.#membership.find(TOPIC, partition)!.awaitsPosition = false
      this.#onPartition('resume', partition)
    }
    for (let turn = 0; turn < END; turn++)
      for (const kind of ['answer', 'send', 'answer'] as const) this.#onSocket(kind, turn % 2)
  }
}

it('brings each record once, in its order, whatever happens while answers are on their way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const run = new Run()
      for (const one of steps) await run.take(one)
      run.finish()
      await vi.waitFor(() => expect(run).toMatchObject({ faults: [], isAtEnd: true }), { interval: 1, timeout: 30_000 })
    }),
  )
}, 60_000)
