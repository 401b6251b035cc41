// Small worlds: what may happen in each, and how often at most. Everything within its bounds is played.

import type { History, Step } from '../history.ts'
import type { Way } from '../service-outcomes.ts'

/** One chunk of the input, `gapMs` after it was asked for. */
export interface Letter {
  readonly words: string
  readonly steps: readonly Step[]
  readonly gapMs: number
  /** Only once this track is gone. */
  readonly after: number | undefined
}

export interface World {
  readonly name: string
  readonly letters: readonly Letter[]
  readonly chunks: number
  /** How attempts may end besides well, and how many of them. */
  readonly ways: readonly Way[]
  readonly faults: number
  /** Each once, at any time; tracks are `given:0` or `lost:0,1`. */
  readonly blows: readonly string[]
  /** As often the process oversleeps, so that other things come first, or time passes although nobody waits for it. */
  readonly lates: number
  /** Whether commits take their time, and whether they may break. */
  readonly commits: 'quick' | 'slow' | 'breaking'
  /** Departures from the plain course, in which whatever comes comes at once, then all goes well in order: in a hurry, and in all. */
  readonly most: readonly [small: number, all: number]
  readonly history: History
  readonly policies: readonly History['rejects']['policy'][]
}

type Bounds = Pick<World, 'most' | 'chunks'> &
  Partial<Pick<World, 'faults' | 'lates' | 'commits' | 'policies'>> & {
    readonly ways?: string
    readonly blows?: string
    readonly tracks?: number
    readonly permits?: number
    readonly keepLast?: boolean
    readonly limits?: Partial<History['limits']>
    readonly service?: Partial<History['service']>
  }

/** By so much it oversleeps. */
const LATE_MS = 3
export const LIMITS: History['limits'] = {
  maxPoints: 3,
  maxBytes: 2000,
  maxWaitMs: 1000,
  lingerMs: 20,
  bufferBytes: 1_000_000,
  retryForMs: 900_000,
  guardMs: 5000,
  graceMs: 3000,
}
const SERVICE = { latencyMs: 0, timeoutMs: 1500, weights: { ok: 1 }, maxBody: 1_000_000, refusedTable: undefined }

/** As the laws know it. */
function historyOf({ tracks = 1, permits = 2, keepLast = true, limits, service, lates = 0, commits }: Bounds): History {
  return {
    seed: 0,
    tables: [keepLast],
    tracks,
    limits: { ...LIMITS, ...limits },
    permits: { limit: permits, perSecond: undefined },
    clock: { whole: true, lateMs: lates > 0 ? LATE_MS : 0, pauses: [] },
    service: { ...SERVICE, spells: [], capacity: undefined, calmFrom: undefined, ...service },
    rejects: { policy: 'accept', ms: 0 },
    commit: { ms: commits === undefined ? 0 : Infinity, throwsAt: undefined },
    sigtermAt: undefined,
    sourceThrows: false,
    chunks: [],
  }
}

const STEP = /^(?<track>[\d*])(?<kind>[#|?$])(?<key>\d*)(?<poison>p?)\+?(?<pad>\d*)$/
const KINDS = { '#': 'record', '|': 'checkpoint', '?': 'rejected', $: 'closed' } as const

/** `0#10` a record of key 10 on track 0 (script.ts says which keys are of one row), `0#10p` poisoned, `0#10+90` padded; `0|` and
 *  `*|` a checkpoint of track 0 and of all; `0?` rejected; `0$` no more of track 0; `a&b` together; `9:a` 9 ms later; `0>a` only
 *  once track 0 is gone. */
function letterOf(words: string): Letter {
  const [, after, gapMs, steps] = /^(?:(\d+)>)?(?:(\d+):)?(.*)$/.exec(words)!
  return {
    words,
    steps: steps!.split('&').map(stepOf),
    gapMs: Number(gapMs ?? 0),
    after: after ? Number(after) : undefined,
  }
}

function stepOf(text: string): Step {
  const { track, kind, key, poison, pad } = STEP.exec(text)!.groups as Record<string, string>
  const scope = track === '*' ? 'all' : Number(track)
  const more = { table: 0, key: Number(key), pad: Number(pad), poison: poison !== '' }
  return { kind: KINDS[kind as keyof typeof KINDS], track: scope, scope, bytes: 10, ...more } as Step
}

function world(name: string, letters: string, bounds: Bounds): World {
  const {
    ways = '',
    faults = 0,
    blows = '',
    lates = 0,
    commits = 'quick',
    policies = ['accept'],
    chunks,
    most,
  } = bounds
  const split = (words: string): string[] => words.split(' ').filter(Boolean)
  const lists = { letters: split(letters).map(letterOf), ways: split(ways) as Way[], blows: split(blows) }
  return { name, chunks, faults, lates, commits, policies, most, ...lists, history: historyOf(bounds) }
}

const UNSURE = 'lostNever lostNow lostLater'
const ENDS = { faults: 1, ways: 'lostLater throws stop', blows: 'SIGTERM broken', commits: 'breaking' } as const
const PARTITION = '0#1 0#10 0| 1#1 0>2#1 0>2|'
const TAKEN = 'given:0 lost:0 lost:0,1'
const POISON = '0#10p 0#11 0#12 0#11p 0|'
const NONE = '0?&0#10 1? 1#10 1| 0$ 1$'
const EVERY = ['accept', 'fail', 'divert'] as const

export const worlds: readonly World[] = [
  world('one row', '0#1 0#2 0|', { chunks: 5, faults: 2, ways: `refusal throttledBare ${UNSURE}`, most: [1, 2] }),
  world('one row, late', '0#1 0#2 0|', { chunks: 4, faults: 1, ways: 'lostLater', lates: 2, most: [1, 3] }),
  world('one row, and the run ends', '0#1 0#2 0|', { chunks: 4, ...ENDS, most: [1, 3] }),
  world('one row, and the run is stopped', '0#1 0#2 0|', {
    ...{ chunks: 3, faults: 1, ways: 'lostLater errorAfter', blows: 'SIGTERM', most: [2, 4] },
  }),
  world('a hot row', '0#1 10:0#1 10:0#10 0|', { chunks: 6, most: [0, 1] }),
  world('every version', '0#1 0#10 0| 0#1p', {
    chunks: 5,
    faults: 1,
    ways: 'lostLater',
    keepLast: false,
    most: [0, 1],
  }),
  world('two tracks, one table', '0#1 1#1 1#10 0| 1| *|', {
    ...{ chunks: 5, tracks: 2, faults: 1, ways: 'lostLater errorBefore', most: [0, 1] },
  }),
  world('two tracks, and the run ends', '0#1 1#1 0| 1| *|', { chunks: 3, tracks: 2, ...ENDS, most: [1, 2] }),
  world('a partition that leaves', PARTITION, {
    ...{ chunks: 4, tracks: 3, faults: 1, ways: 'lostLater throttledBare', blows: TAKEN, most: [1, 2] },
  }),
  world('a partition that leaves, slow commits', PARTITION, {
    ...{ chunks: 3, tracks: 3, faults: 1, ways: 'lostLater errorBefore', blows: TAKEN, commits: 'slow', most: [1, 3] },
  }),
  world('a partition that leaves, and the run ends', PARTITION, {
    ...{ chunks: 3, tracks: 3, ...ENDS, blows: `${TAKEN} ${ENDS.blows}`, most: [1, 2] },
  }),
  world('poison in a body of three', POISON, {
    ...{ chunks: 4, faults: 1, ways: 'lostNow lostLater', policies: ['accept', 'fail'], most: [0, 1] },
  }),
  world('poison, kept in a table', POISON, {
    ...{ chunks: 4, faults: 1, ways: 'lostNow', policies: ['divert'], most: [0, 1] },
  }),
  world('poison of a partition that leaves', '0#10p 0#11 1#10p 0| 1|', {
    ...{ chunks: 4, tracks: 2, blows: TAKEN, policies: ['accept', 'divert'], most: [0, 1] },
  }),
  world('poison, and the run ends', POISON, { chunks: 4, ...ENDS, policies: EVERY, most: [0, 1] }),
  world('a table that is refused', '0#10 0#11 0#12 0#13 0|', {
    ...{ chunks: 4, faults: 1, ways: 'lostNow', policies: EVERY, service: { refusedTable: 0 }, most: [0, 1] },
  }),
  world('poison, and one that is good', '0#10p&0#11p&0#12p 0#13 0|', {
    ...{ chunks: 3, limits: { maxPoints: 1 }, most: [2, 3] },
  }),
  world('a table of rejects that is refused', POISON, {
    ...{ chunks: 4, policies: ['divert'], service: { refusedTable: 1 }, most: [0, 1] },
  }),
  world('too large', '0#10 0#11+40 0#12 0#13+150 0|', {
    ...{ chunks: 4, faults: 1, ways: 'refusal lostLater', service: { maxBody: 130 }, most: [0, 1] },
  }),
  world('full bodies', '0#10 0#11 0#12 0|', {
    ...{ chunks: 5, faults: 1, ways: 'errorBefore', permits: 1, limits: { maxPoints: 2 }, most: [0, 1] },
  }),
  world('bodies written over', '0#10 0#11 0#10+30 0#11+90 0|', { chunks: 4, limits: { maxBytes: 150 }, most: [0, 2] }),
  world('a small budget', '0#10 0#11 0| 0?', {
    ...{ chunks: 5, faults: 1, ways: 'errorBefore', limits: { bufferBytes: 100 }, most: [0, 2] },
  }),
  world('a service in trouble', '0#10 700:0#11', {
    ways: 'throttledBare errorAfter refused staleNever half silentLater gatewayLater',
    ...{ chunks: 2, faults: 5, lates: 1, limits: { retryForMs: 8000 }, most: [2, 4] },
  }),
  world('a service that is down', '0#10', {
    ...{ chunks: 1, faults: 6, ways: 'throttledBare errorBefore', limits: { retryForMs: 6000 }, most: [6, 6] },
  }),
  world('a request that hangs', '0#10 0#11', {
    ...{ chunks: 2, faults: 1, ways: 'errorBefore', lates: 1, limits: { maxPoints: 1 }, most: [3, 6] },
  }),
  world('pauses', '0#10 0#11', {
    ...{ chunks: 3, faults: 3, ways: 'throttled throttledUntil unavailable', limits: { maxPoints: 1 }, most: [2, 3] },
  }),
  world('early answers', '0#10 0#11 0#10p', {
    ...{ chunks: 5, faults: 2, ways: 'okSoon refusalSoon errorBefore', limits: { maxPoints: 2 }, most: [1, 2] },
  }),
  world('records that are none', `${NONE} *|`, { chunks: 4, tracks: 2, lates: 1, policies: EVERY, most: [0, 1] }),
  world('records that are none, and a track is lost', NONE, {
    ...{ chunks: 4, tracks: 2, blows: 'lost:0', policies: EVERY, most: [0, 1] },
  }),
]
