import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Body, Point } from './body.ts'
import { exactOf, fenceOf } from './key.ts'
import { Ledger } from './ledger.ts'
import { Tables } from './tables.ts'
import { recordOf } from './testing/bodies.ts'
import type { CursorWatch, Key, RecordItem, Table, Track } from './types.ts'

const TRACKS: readonly Track[] = [{ name: 'a' }, { name: 'b' }]
/** Which cursor took the place of which, as the table's watch was told. */
const told: [string, string][] = []
const watch: CursorWatch = {
  superseded: (old, oldFrom, oldTo, newer, from, to) =>
    told.push([old.toString('latin1', oldFrom, oldTo), newer.toString('latin1', from, to)]),
}
const TABLES: readonly Table[] = [
  { name: 'last', keepLast: true, watch },
  { name: 'each', keepLast: false },
]
const KEYS: readonly Key[] = [undefined, 1, { exact: '1.0', fence: 1 }, { exact: '"1"', fence: 1 }, 2, 'word']
const LIMITS = { maxPoints: 3, maxBytes: 90, maxWaitMs: 1000, lingerMs: 20 }

function record(track: Track, table: Table, key: Key, text: string, held = 0): RecordItem<string> {
  const bytes = Buffer.from(text)
  // {"v":1, …: the cursor is what stands behind the colon
  const middle = Math.min(3, bytes.length)
  const cursor = { cursorFrom: 5, cursorTo: bytes.indexOf(',') }
  return recordOf(text, { headTo: middle, from: middle, ...cursor, track, table, key, origin: text, held })
}

/** Bytes of a sent body's point. */
const textOf = (body: Body<string>, point: Point<string>): string =>
  Buffer.from(body.bytes.subarray(point.from, point.to)).toString()

/** What waits to be sent together: versions that merged. */
interface Group {
  readonly table: Table
  readonly key: Key
  texts: string[]
  tracks: Track[]
  sent: boolean
}

/** Chains of equal fence, by decisions.md#keys-are-equal-at-two-levels and
 *  decisions.md#a-newer-value-takes-place-and-age. */
class Naive {
  groups: Group[] = []
  readonly superseded: [string, string][] = []

  add(track: Track, table: Table, key: Key, text: string): void {
    const newest = this.groups.findLast((group) => group.table === table && fenceOf(group.key) === fenceOf(key))
    const merges = key !== undefined && table.keepLast && newest && !newest.sent && exactOf(newest.key) === exactOf(key)
    if (!merges) this.groups.push({ table, key, texts: [text], tracks: [track], sent: false })
    else {
      this.superseded.push(
        [newest.texts.at(-1)!, text].map((version) => version.slice(5, version.indexOf(','))) as [string, string],
      )
      newest.texts.push(text)
      newest.tracks.push(track)
    }
  }

  /** The one that may go now: the oldest of its fence. */
  next(table: Table, fence: unknown, text: string): Group | undefined {
    return this.groups.find(
      (group) =>
        group.table === table && fenceOf(group.key) === fence && (fence !== undefined || group.texts[0] === text),
    )
  }

  /** Takes a track's shares off what was not sent, but for those whose bytes go out for others. */
  forget(track: Track): number {
    let dropped = 0
    for (const group of this.groups.filter(({ sent }) => !sent)) {
      const mixed = group.tracks.some((other) => other !== track)
      if (mixed && group.tracks.at(-1) === track) continue
      dropped += group.tracks.filter((other) => other === track).length
      group.texts = group.texts.filter((_, index) => group.tracks[index] !== track)
      group.tracks = group.tracks.filter((other) => other !== track)
    }
    this.groups = this.groups.filter(({ texts }) => texts.length > 0)
    return dropped
  }
}

const action = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      what: fc.constant('add' as const),
      track: fc.nat(1),
      table: fc.nat(1),
      key: fc.nat(5),
      pad: fc.oneof(fc.nat(20), fc.nat(120)),
      held: fc.nat(50),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('cut' as const), all: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom<'release' | 'park' | 'split'>('release', 'park', 'split'),
      which: fc.nat(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom<'forget' | 'expire'>('forget', 'expire'), track: fc.nat(1) }),
  },
)

/** Plays actions on both and compares what comes out. */
class Play {
  readonly tables = new Tables<string>(LIMITS, 1, { placeOf: (text) => text })
  readonly naive = new Naive()
  readonly sent: Body<string>[] = []
  readonly #ledger = new Ledger<number>()
  #now = 0
  #texts = 0
  #hasForgotten = false

  add(track: Track, table: Table, key: Key, pad: number, held: number): void {
    const text = `{"v":${this.#texts++},"pad":"${'p'.repeat(pad)}"}`
    this.tables.add(record(track, table, key, text, held), this.#ledger.receive(track), this.#now++)
    this.naive.add(track, table, key, text)
  }

  cut(all: boolean): boolean {
    const due = this.tables.dueTable(this.#now, all) !== undefined
    const body = this.tables.takeDue(this.#now, all)
    expect(body !== undefined).toBe(due)
    if (!body) return false
    for (const point of body.points) this.#isNext(body, point)
    expect(body.points.length).toBeLessThanOrEqual(LIMITS.maxPoints)
    const bytes = body.finish()
    if (body.points.length > 1) expect(bytes.length).toBeLessThanOrEqual(LIMITS.maxBytes)
    expect(JSON.parse(Buffer.from(bytes).toString())).toHaveLength(body.points.length)
    this.sent.push(body)
    return true
  }

  #isNext(body: Body<string>, point: Point<string>): void {
    const text = textOf(body, point)
    const group = this.naive.next(point.table, point.fence, text)!
    expect(group.sent).toBe(false)
    expect([text, point.origin]).toEqual([group.texts.at(-1), group.texts.at(-1)])
    expect(point.supersededCount()).toBe(group.texts.length - 1)
    this.#isNamed(point, group.texts.slice(0, -1).toReversed().slice(0, 10))
    expect(point.segment.state.track).toBe(group.tracks.at(-1))
    group.sent = true
  }

  #isNamed(point: Point<string>, superseded: readonly string[]): void {
    const named = point.places?.newestFirst().map(({ origin }) => origin) ?? []
    // of those kept some may have gone with their track, and what was older than they was not kept
    expect(named).toEqual(this.#hasForgotten ? superseded.slice(0, named.length) : superseded)
  }

  release(which: number): void {
    const [body] = this.sent.splice(which % this.sent.length, 1)
    for (const point of body!.points)
      this.naive.groups.splice(
        this.naive.groups.findIndex((group) => group.sent && group.texts.at(-1) === point.origin),
        1,
      )
    this.tables.release(body!, which % 2 === 0)
  }

  park(which: number): void {
    const body = this.sent[which % this.sent.length]!
    if (body.bytes.length > 0) this.tables.park(body)
  }

  split(which: number): void {
    const index = which % this.sent.length
    const body = this.sent[index]!
    if (body.points.length < 2 || body.bytes.length === 0) return
    const before = body.points.map((point) => textOf(body, point))
    const [first, second] = this.tables.cut(body, Math.ceil(body.points.length / 2)) as [typeof body, typeof body]
    const halves = [first, second] as const
    expect(halves.flatMap((half) => half.points.map((point) => textOf(half, point)))).toEqual(before)
    expect(halves[0].points.length - halves[1].points.length).toBeOneOf([0, 1])
    for (const half of halves) half.finish()
    this.sent.splice(index, 1, ...halves)
  }

  forget(track: Track): void {
    this.#hasForgotten = true
    const state = this.#ledger.close(track, 'complete', () => undefined)
    const shares = this.tables.forget(({ segment }) => segment.state === state)
    expect(shares.reduce((sum, { count }) => sum + count, 0)).toBe(this.naive.forget(track))
  }

  expire(track: Track): void {
    const state = this.#ledger.close(track, 'complete', () => undefined)
    this.tables.expire(({ segment }) => segment.state === state)
    const isTheirs = (group: Group): boolean => !group.sent && group.tracks.includes(track)
    const isFirst = (group: Group): boolean =>
      this.naive.next(group.table, fenceOf(group.key), group.texts[0]!) === group
    // a free one is pending, and now due at once
    if (this.naive.groups.some((group) => isTheirs(group) && isFirst(group)))
      expect(this.tables.dueTable(0, false)).toBeDefined()
  }
}

test('what comes out, when, and merged with what is as a naive model says; in the end not a byte is held', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
      const play = new Play()
      told.length = 0
      for (const step of actions) {
        if (step.what === 'add') play.add(TRACKS[step.track]!, TABLES[step.table]!, KEYS[step.key], step.pad, step.held)
        else if (step.what === 'cut') play.cut(step.all)
        else if ('track' in step) play[step.what](TRACKS[step.track]!)
        else if (play.sent.length > 0) play[step.what](step.which)
      }
      while (play.cut(true) || play.sent.length > 0) if (play.sent.length > 0) play.release(0)
      expect(play.naive.groups).toEqual([])
      expect(told).toEqual(play.naive.superseded)
      expect(play.tables.bytes).toBe(0)
    }),
    { numRuns: 1000 },
  )
})

test('an open body is due when it has lingered, reckoned in one way: sums of times round', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (at) => {
      const tables = new Tables<string>(LIMITS, 1)
      tables.add(record(TRACKS[0]!, TABLES[0]!, 1, '{}'), new Ledger<number>().receive(TRACKS[0]!), at)
      expect(tables.dueTable(at, false)).toBeUndefined()
      expect(tables.dueTable(tables.nextDue(), false)).toBeDefined()
      expect(tables.takeDue(tables.nextDue(), false)).toBeDefined()
      expect(tables.dueTable(1e9, true)).toBeUndefined()
      expect(tables.nextDue()).toBeGreaterThan(1e12)
    }),
  )
})

test('superseding keeps place and age; one over age goes before full ones', () => {
  const tables = new Tables<string>(LIMITS, 1)
  const segment = new Ledger<number>().receive(TRACKS[0]!)
  const add = (table: Table, key: Key, text: string, now: number): void =>
    tables.add(record(TRACKS[0]!, table, key, text), segment, now)
  add(TABLES[0]!, 1, '{"v":1}', 0)
  add(TABLES[0]!, 2, '{"v":2}', 1)
  for (let now = 2; now < 1000; now++) add(TABLES[0]!, 1, `{"v":${now}}`, now)
  for (let id = 0; id < 6; id++) add(TABLES[1]!, id, '{"v":0}', 999)
  expect(tables.takeDue(999, false)?.points[0]?.table).toBe(TABLES[1])
  const body = tables.takeDue(1000, false)!
  expect(body.points.map(({ exact }) => exact)).toEqual([1, 2])
  expect(body.age).toBe(0)
  expect(tables.takeDue(1000, false)?.points[0]?.table).toBe(TABLES[1])
})

test('a full body is due at once, whatever the time', () => {
  const tables = new Tables<string>(LIMITS, 1)
  const segment = new Ledger<number>().receive(TRACKS[0]!)
  for (let id = 0; id < 3; id++) tables.add(record(TRACKS[0]!, TABLES[0]!, id, '{}'), segment, 5)
  expect(tables.nextDue()).toBeLessThan(-1e6)
  expect(tables.dueTable(5, false)).toBeDefined()
})
