// Small worlds: what may happen in each, and how often at most. Everything within these bounds is played.

import type { History, Step } from '../history.ts'
import type { Way } from '../service-outcomes.ts'
import type { Coming } from './chosen-source.ts'

/** What may come of the input at once. */
interface Letter extends Coming {
  readonly words: string
  /** So often at most. */
  readonly most?: number | undefined
  /** Only once this track is gone. */
  readonly after?: number
}

export interface World {
  readonly name: string
  readonly letters: readonly Letter[]
  /** Letters at most. */
  readonly chunks: number
  /** How attempts may end that do not end well, and how many of those at most. */
  readonly ways: readonly Way[]
  readonly faults: number
  /** Each once, at any time. */
  readonly takings: readonly { readonly kind: 'lost' | 'given'; readonly tracks: readonly number[] }[]
  /** One of these, at any time. */
  readonly ends: readonly ('SIGTERM' | 'the source breaks')[]
  /** None: each commit ends at once. */
  readonly commits: readonly ('ends' | 'breaks')[]
  /** So often the process wakes up late, or something else comes first. */
  readonly lates: number
  readonly policies: readonly History['rejects']['policy'][]
  /** From the plain course: what comes at once is plain, then what goes well, in order. */
  readonly departures: number
  readonly tracks: number
  readonly tables: History['tables']
  readonly permits: number
  readonly limits: Partial<History['limits']>
  readonly service: Partial<History['service']>
}

/** By so much it is late. */
export const LATE_MS = 3

const LIMITS = {
  maxPoints: 3,
  maxBytes: 2000,
  maxWaitMs: 1000,
  lingerMs: 20,
  bufferBytes: 1_000_000,
  retryForMs: 900_000,
  guardMs: 5000,
  graceMs: 3000,
}

const SERVICE: History['service'] = {
  latencyMs: 0,
  timeoutMs: 1500,
  weights: { ok: 1 },
  maxBody: 1_000_000,
  refusedTable: undefined,
  spells: [],
  capacity: undefined,
  calmFrom: undefined,
}

/** As the laws know it. */
export function historyOf(world: World, policy: History['rejects']['policy']): History {
  return {
    seed: 0,
    tables: world.tables,
    tracks: world.tracks,
    limits: { ...LIMITS, ...world.limits },
    permits: { limit: world.permits, perSecond: undefined },
    clock: { whole: true, lateMs: world.lates > 0 ? LATE_MS : 0, pauses: [] },
    service: { ...SERVICE, ...world.service },
    rejects: { policy, ms: 0 },
    // as long as it takes
    commit: { ms: world.commits.length > 0 ? Infinity : 0, throwsAt: undefined },
    sigtermAt: undefined,
    sourceThrows: false,
    chunks: [],
  }
}

const PLAIN: Omit<World, 'name' | 'letters' | 'chunks'> = {
  ways: [],
  faults: 0,
  takings: [],
  ends: [],
  commits: [],
  lates: 0,
  policies: ['accept'],
  departures: Infinity,
  tracks: 1,
  tables: [true],
  permits: 2,
  limits: {},
  service: {},
}

/** A record of key #K (script.ts) on a track; `more`: what else it has. */
const record = (track: number, key: number, more: Partial<Step & { kind: 'record' }> = {}): Letter => ({
  words: `record of key #${key} on track ${track}${Object.keys(more).join()}`,
  steps: [{ kind: 'record', track, table: 0, key, pad: 0, poison: false, ...more }],
})
const checkpoint = (scope: number | 'all', most?: number): Letter => ({
  words: `checkpoint of ${scope}`,
  steps: [{ kind: 'checkpoint', scope, bytes: 10 }],
  most,
})
const closed = (track: number): Letter => ({
  words: `end of track ${track}`,
  steps: [{ kind: 'closed', track }],
  most: 1,
})
const rejected = (track: number): Letter => ({ words: `rejected`, steps: [{ kind: 'rejected', track }] })
const after = (track: number, letter: Letter): Letter => ({ ...letter, after: track })
const together = (...letters: readonly Letter[]): Letter => ({
  words: letters.map(({ words }) => words).join(' and '),
  steps: letters.flatMap(({ steps }) => steps),
})
const later = (gapMs: number, letter: Letter): Letter => ({
  ...letter,
  words: `${letter.words}, ${gapMs} ms later`,
  gapMs,
})

/** No answer, or none that says what became of the body. */
const UNSURE: readonly Way[] = ['lostNever', 'lostNow', 'lostLater']

const ROW: World = {
  ...PLAIN,
  name: 'one row',
  letters: [record(0, 1), record(0, 2), checkpoint(0, 2)],
  chunks: 5,
  ways: ['refusal', 'throttledBare', ...UNSURE],
  faults: 2,
}
const TRACKS: World = {
  ...PLAIN,
  name: 'two tracks, one table',
  tracks: 2,
  letters: [record(0, 1), record(1, 1), record(1, 10), checkpoint(0), checkpoint(1), checkpoint('all')],
  chunks: 5,
  ways: ['lostLater', 'errorBefore'],
  faults: 1,
}
const PARTITION: World = {
  ...PLAIN,
  name: 'a partition that leaves',
  tracks: 3,
  letters: [record(0, 1), record(0, 10), checkpoint(0), record(1, 1), after(0, record(2, 1)), after(0, checkpoint(2))],
  chunks: 5,
  ways: ['lostLater', 'throttledBare'],
  faults: 1,
  takings: [
    { kind: 'given', tracks: [0] },
    { kind: 'lost', tracks: [0] },
    { kind: 'lost', tracks: [0, 1] },
  ],
}
const POISON: World = {
  ...PLAIN,
  name: 'poison in a body of three',
  letters: [
    record(0, 10, { poison: true }),
    record(0, 11),
    record(0, 12),
    record(0, 11, { poison: true }),
    checkpoint(0, 2),
  ],
  chunks: 5,
  policies: ['accept', 'fail'],
  ways: ['lostNow'],
  faults: 1,
}

export const worlds: readonly World[] = [
  ROW,
  TRACKS,
  PARTITION,
  POISON,
  { ...POISON, name: 'poison, kept in a table', policies: ['divert'] },
  {
    ...POISON,
    name: 'a table that is refused',
    letters: [record(0, 10), record(0, 11), record(0, 12), record(0, 13), checkpoint(0, 1)],
    policies: ['accept', 'fail', 'divert'],
    service: { refusedTable: 0 },
  },
  {
    ...POISON,
    name: 'a table of rejects that is refused',
    policies: ['divert'],
    service: { refusedTable: 1 },
  },
  {
    ...PLAIN,
    name: 'too large',
    letters: [record(0, 10), record(0, 11, { pad: 40 }), record(0, 12), record(0, 13, { pad: 150 }), checkpoint(0, 2)],
    chunks: 5,
    ways: ['refusal', 'lostLater'],
    faults: 1,
    service: { maxBody: 130 },
  },
  {
    ...PLAIN,
    name: 'full bodies',
    letters: [record(0, 10), record(0, 11), record(0, 10, { pad: 30 }), record(0, 11, { pad: 90 }), checkpoint(0, 2)],
    chunks: 6,
    permits: 1,
    limits: { maxPoints: 2, maxBytes: 150 },
    ways: ['errorBefore'],
    faults: 1,
  },
  {
    ...PLAIN,
    name: 'every version',
    tables: [false],
    letters: [record(0, 1), record(0, 10), checkpoint(0, 1), record(0, 1, { poison: true })],
    chunks: 5,
    ways: ['lostLater'],
    faults: 1,
  },
  {
    ...PLAIN,
    name: 'a small budget',
    letters: [record(0, 10), record(0, 11), checkpoint(0), rejected(0)],
    chunks: 5,
    limits: { bufferBytes: 3000 },
    ways: ['errorBefore'],
    faults: 1,
  },
  {
    ...PLAIN,
    name: 'a hot row',
    letters: [record(0, 1), later(10, record(0, 1)), later(10, record(0, 10)), checkpoint(0, 1)],
    chunks: 6,
  },
  {
    ...PLAIN,
    name: 'a service in trouble',
    letters: [record(0, 10), later(700, record(0, 11))],
    chunks: 2,
    ways: ['throttledBare', 'errorAfter', 'refused', 'staleNever', 'half', 'silentLater', 'gatewayLater'],
    faults: 5,
    lates: 1,
    limits: { retryForMs: 8000 },
  },
  {
    ...PLAIN,
    name: 'pauses',
    letters: [record(0, 10), record(0, 11)],
    chunks: 3,
    limits: { maxPoints: 1 },
    ways: ['throttled', 'throttledUntil', 'unavailable'],
    faults: 3,
  },
  {
    ...PLAIN,
    name: 'early answers',
    letters: [record(0, 10), record(0, 11)],
    chunks: 5,
    limits: { maxPoints: 2 },
    ways: ['okSoon', 'refusalSoon', 'errorBefore'],
    faults: 2,
  },
  {
    ...PLAIN,
    name: 'records that are none',
    letters: [
      together(rejected(0), record(0, 10)),
      rejected(1),
      record(1, 10),
      checkpoint(1),
      checkpoint('all'),
      closed(0),
      closed(1),
    ],
    tracks: 2,
    policies: ['accept', 'fail', 'divert'],
    chunks: 4,
    takings: [{ kind: 'lost', tracks: [0] }],
  },
  ...[ROW, TRACKS, PARTITION, POISON].map((world): World => ({
    ...world,
    name: `${world.name}, and the run ends`,
    chunks: 4,
    ways: ['lostLater', 'throws', 'stop'],
    commits: ['ends', 'breaks'],
    ends: ['SIGTERM', 'the source breaks'],
  })),
  { ...ROW, name: 'one row, late', lates: 2, chunks: 4, ways: ['lostLater'] },
]
