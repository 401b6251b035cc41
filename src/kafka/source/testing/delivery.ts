// For tests: a source delivered by the engine to a service that answers as the test says.

import { setTimeout as pause } from 'node:timers/promises'
import { deliver } from '../../../core/deliver.ts'
import { ConnectorError } from '../../../core/errors.ts'
import { FixedPermits } from '../../../core/concurrency/fixed-permits.ts'
import type { TrackState } from '../../../core/segment.ts'
import { Tally } from '../../../core/tally.ts'
import type { KafkaRecord } from '../../types.ts'
import type { Outcome, Rejects, Request, Source } from '../../../core/types.ts'
import { engineLimits } from '../../../commands/run.ts'
import type { KafkaOrigin } from '../kafka-origin.ts'
import type { KafkaCheckpoint } from '../owned-partition.ts'
import { systemClock } from '../../../process/system-clock.ts'
import { recordOf } from './topics.ts'

export const row = (id: number, offset: number, version = 0) =>
  recordOf(JSON.stringify({ id, v: version, at: offset }), null, BigInt(offset))
export const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => row(from + index, from + index))
const LIMITS = engineLimits(
  {
    maxPoints: 10,
    maxRequestBytes: 100_000,
    maxWaitMs: 5,
    bufferBytes: 20_000,
    requestTimeoutMs: 1000,
    retryForMs: 10_000,
    concurrency: 4,
    maxRequestsPerSecond: undefined,
    lateWriteGuardMs: 0,
  },
  1000,
)

export interface Sent {
  readonly id: number
  readonly v: number
  readonly at: number
}

const failing: Rejects<KafkaOrigin> = {
  overlaps: false,
  placeOf: () => undefined,
  put: () => Promise.reject(new ConnectorError('config', 'program.fault', 'rejected')),
}

/** @param waitsFor time stands still until the engine has taken this many records, so that all of them wait together
 *  @param guardMs of the late-write guard */
export function delivering(
  source: Source<KafkaCheckpoint, KafkaOrigin>,
  answer: (points: readonly Sent[]) => Promise<Outcome>,
  rejects = failing,
  waitsFor = 0,
  guardMs = 0,
) {
  const stop = new AbortController()
  const sent: Sent[] = []
  const delivered: Sent[] = []
  const transport = {
    async send({ body }: Request): Promise<Outcome> {
      const points = JSON.parse(Buffer.from(body).toString()) as Sent[]
      sent.push(...points)
      const outcome = await answer(points)
      if (outcome.status === 'delivered') delivered.push(...points)
      return outcome
    },
  }
  const permits = new FixedPermits({ limit: 4 })
  const tally = new Tally()
  const tracks = new Set<TrackState>()
  const taken = (): number => {
    for (const track of tally.takeTracks()) tracks.add(track)
    return [...tracks].reduce((sum, { received }) => sum + received, 0)
  }
  const begun = systemClock.now()
  const clock = { ...systemClock, now: () => (taken() < waitsFor ? begun : systemClock.now()) }
  const parts = { source, transport, permits, rejects, clock, limits: { ...LIMITS, guardMs }, tally, hashSeed: 1 }
  return { run: deliver(parts, stop.signal), stop, sent, delivered }
}

export const delivered = (): Promise<Outcome> => Promise.resolve({ status: 'delivered' })
export const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await pause(1)
}

export interface PlannedRecord {
  readonly key: number
  readonly partition: number
}

/** What partitions 0 and 1 hold, each its own rows: their versions are their places. */
export function logsOf(records: readonly PlannedRecord[]): KafkaRecord[][] {
  return [0, 1].map((partition) =>
    records
      .filter((record) => record.partition === partition)
      .map(({ key }, index) => row(2 * key + partition, index, index)),
  )
}
