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

interface Bounds extends Partial<Pick<World, 'lates' | 'commits' | 'policies'>> {
  /** How many attempts end badly, and how. */
  readonly faults?: string
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

const STEP = /^(?<track>[\d*-])(?<kind>[#|?$])(?<key>\d*)(?<poison>p?)\+?(?<pad>\d*)$/
const KINDS = { '#': 'record', '|': 'checkpoint', '?': 'rejected', $: 'closed' } as const

/** `0#10` a record of key 10 on track 0 (script.ts says which keys are of one row), `0#10p` poisoned, `0#10+90` padded; `0|`, `*|`
 *  and `-|` a checkpoint of track 0, of all and of none; `0?` rejected; `0$` no more of track 0; `a&b` together; `9:a` 9 ms later; `0>a` only
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
  const scope = track === '*' ? 'all' : track === '-' ? 'none' : Number(track)
  const more = { table: 0, key: Number(key), pad: Number(pad), poison: poison !== '' }
  return { kind: KINDS[kind as keyof typeof KINDS], track: scope, scope, bytes: 10, ...more } as Step
}

/** @param counts chunks, and departures within the small bounds and in all */
function world(
  name: string,
  letters: string,
  [chunks, ...most]: readonly [number, number, number],
  bounds: Bounds = {},
): World {
  const { faults = '0', blows = '', lates = 0, commits = 'quick', policies = ['accept'] } = bounds
  const split = (words: string): string[] => words.split(' ').filter(Boolean)
  const [count, ...ways] = split(faults)
  return {
    name,
    letters: split(letters).map(letterOf),
    chunks,
    ways: ways as Way[],
    faults: Number(count),
    blows: split(blows),
    lates,
    commits,
    most,
    history: historyOf(bounds),
    policies,
  }
}

const UNSURE = 'lostNever lostNow lostLater'
const ENDS = { faults: '1 lostLater throws stop', blows: 'SIGTERM broken', commits: 'breaking' } as const
const PARTITION = '0#1 0#10 0| 1#1 0>2#1 0>2|'
const TAKEN = 'given:0 lost:0 lost:0,1'
const POISON = '0#10p 0#11 0#12 0#11p 0|'
const NONE = '0?&0#10 1? 1#10 1| 0$ 1$'
const EVERY = ['accept', 'fail', 'divert'] as const

export const worlds: readonly World[] = [
  world('one row', '0#1 0#2 0|', [5, 1, 2], { faults: `2 refusal throttledBare ${UNSURE}` }),
  world('one row, late', '0#1 0#2 0|', [4, 1, 3], { faults: '1 lostLater', lates: 2 }),
  world('one row, and the run ends', '0#1 0#2 0|', [4, 1, 3], { ...ENDS }),
  world('one row, and the run is stopped', '0#1 0#2 0|', [3, 2, 4], {
    faults: '1 lostLater errorAfter',
    blows: 'SIGTERM',
  }),
  world('a hot row', '0#1 10:0#1 10:0#10 0|', [6, 0, 1]),
  world('every version', '0#1 0#10 0| 0#1p', [5, 0, 1], { faults: '1 lostLater', keepLast: false }),
  world('two tracks, one table', '0#1 1#1 1#10 0| 1| *|', [5, 0, 1], { faults: '1 lostLater errorBefore', tracks: 2 }),
  world('two tracks, and the run ends', '0#1 1#1 0| 1| *|', [3, 1, 2], { tracks: 2, ...ENDS }),
  world('checkpoints that count nothing', '0#1 1#1 0| -| *|', [5, 0, 1], { faults: '1 errorBefore', tracks: 2 }),
  world('a partition that leaves', PARTITION, [4, 1, 2], {
    faults: '1 lostLater throttledBare',
    tracks: 3,
    blows: TAKEN,
  }),
  world('a partition that leaves, slow commits', PARTITION, [3, 1, 3], {
    faults: '1 lostLater errorBefore',
    tracks: 3,
    blows: TAKEN,
    commits: 'slow',
  }),
  world('a partition that leaves, one permit', PARTITION, [3, 2, 3], {
    faults: '1 throttledBare',
    tracks: 3,
    permits: 1,
    blows: 'lost:0',
  }),
  world('a partition that leaves, and the run ends', PARTITION, [3, 1, 2], {
    tracks: 3,
    ...ENDS,
    blows: `${TAKEN} ${ENDS.blows}`,
  }),
  world('poison in a body of three', POISON, [4, 0, 1], {
    faults: '1 lostNow lostLater',
    policies: ['accept', 'fail'],
  }),
  world('poison, kept in a table', POISON, [4, 0, 1], { faults: '1 lostNow', policies: ['divert'] }),
  world('poison of a partition that leaves', '0#10p 0#11 1#10p 0| 1|', [4, 0, 1], {
    tracks: 2,
    blows: TAKEN,
    policies: ['accept', 'divert'],
  }),
  world('poison, and the run ends', POISON, [4, 0, 1], { ...ENDS, policies: EVERY }),
  world('a table that is refused', '0#10 0#11 0#12 0#13 0|', [4, 0, 1], {
    faults: '1 lostNow',
    policies: EVERY,
    service: { refusedTable: 0 },
  }),
  world('a table that is refused, one by one', '0#10 0#11&0#12&0#13&0#14', [2, 2, 4], {
    permits: 3,
    limits: { maxPoints: 1 },
    service: { refusedTable: 0 },
  }),
  world('poison, and one that is good', '0#10p&0#11p&0#12p 0#13 0|', [3, 2, 3], { limits: { maxPoints: 1 } }),
  world('a table of rejects that is refused', POISON, [4, 0, 1], {
    policies: ['divert'],
    service: { refusedTable: 1 },
  }),
  world('too large', '0#10 0#11+40 0#12 0#13+150 0|', [4, 0, 1], {
    faults: '1 refusal lostLater',
    service: { maxBody: 130 },
  }),
  world('full bodies', '0#10 0#11 0#12 0|', [5, 0, 1], {
    faults: '1 errorBefore',
    permits: 1,
    limits: { maxPoints: 2 },
  }),
  world('bodies written over', '0#10 0#11 0#10+30 0#11+90 0|', [4, 0, 2], { limits: { maxBytes: 150 } }),
  world('a small budget', '0#10 0#11 0| 0?', [5, 0, 2], { faults: '1 errorBefore', limits: { bufferBytes: 100 } }),
  world('a service in trouble', '0#10 700:0#11', [2, 2, 4], {
    faults: '5 throttledBare errorAfter refused staleNever half silentLater gatewayLater',
    lates: 1,
    limits: { retryForMs: 8000 },
  }),
  world('a service that is down', '0#10', [1, 6, 6], {
    faults: '6 throttledBare errorBefore',
    limits: { retryForMs: 6000 },
  }),
  world('a request that hangs', '0#10 0#11', [2, 3, 6], {
    faults: '1 errorBefore',
    lates: 1,
    limits: { maxPoints: 1 },
  }),
  world('pauses', '0#10 0#11', [3, 2, 3], {
    faults: '3 throttled throttledUntil unavailable',
    limits: { maxPoints: 1 },
  }),
  world('early answers', '0#10 0#11 0#10p', [5, 1, 2], {
    faults: '2 okSoon refusalSoon errorBefore',
    limits: { maxPoints: 2 },
  }),
  world('records that are none', `${NONE} *|`, [4, 0, 1], { tracks: 2, lates: 1, policies: EVERY }),
  world('records that are none, and a track is lost', NONE, [4, 0, 1], { tracks: 2, blows: 'lost:0', policies: EVERY }),
]
