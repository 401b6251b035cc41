/* oxlint-disable oxc/no-map-spread -- once a spell, not once a request */
// Worlds at random: what a service is and does, spell after spell, and who its clients are. A seed is a world.

import type { Fault, Limiter } from '../fleet/shared-service.ts'
import { Random } from '../random.ts'

/** What a service says to what is too much. Retry-After in seconds; as a date it ends with a second of the clock. */
export interface Word {
  readonly fault: Fault
  readonly afterS?: number
  readonly isDate?: boolean
}

export interface Limit {
  readonly by: Limiter | 'at once'
  /** Requests a second, or in flight. */
  readonly most: number
  /** Seconds' worth that a bucket saves up. */
  readonly saved: number
  readonly word: Word
}

type Span = readonly [from: number, to: number]

/** Times are milliseconds of the world. */
export interface Spell {
  readonly from: number
  readonly to: number
  /** The way there and back: from the one to the other, in so many milliseconds from a time on. */
  readonly ms: readonly [first: number, then: number, at: number, over: number]
  /** Records a second that each client has; Infinity: always one more. */
  readonly demand: number
  readonly faults: readonly (readonly [Fault, share: number])[]
  readonly limit?: Limit
  readonly line?: { readonly workers: number; readonly ms: number }
  /** What happens in its first seconds: nothing works, no record comes, the processes sleep. */
  readonly outage?: readonly [...Span, Fault]
  readonly dry?: Span
  readonly sleep?: Span
}

export interface WorldPlan {
  readonly name: string
  readonly spells: readonly Spell[]
  readonly members: readonly { readonly from: number; readonly to: number; readonly isKilled?: boolean }[]
  readonly timeoutMs: number
}

/** As often as each, what is not named. */
const KINDS = { free: 35, limit: 45, line: 20 }
const WORDS = { 'plain 429': 25, '429 Retry-After': 20, '503 Retry-After': 10, timeout: 10, 'plain 503': 35 }
/** Requests a second that one client is to send at most, so that a world takes a second to play. */
const FASTEST = 3000

const even = (random: Random, low: number, high: number): number => low * (high / low) ** random.next()
const rounded = (value: number): number => Number(value.toPrecision(3))

function wordOf(random: Random): Word {
  const word = random.pick(WORDS)
  if (word === 'plain 429' || word === 'plain 503') return { fault: word === 'plain 429' ? 429 : 503 }
  if (word === 'timeout') return { fault: 'timeout' }
  const afterS = random.next() < 0.5 ? 1 : even(random, 0.2, 30)
  const isDate = random.next() < 0.3
  return { fault: word === '429 Retry-After' ? 429 : 503, afterS: isDate ? rounded(afterS) : Math.ceil(afterS), isDate }
}

function limitOf(random: Random, members: number, ms: number): Limit {
  const by = random.pick<Limit['by']>({ bucket: 40, second: 30, 'at once': 30 })
  const each = members > 1 ? even(random, 10, 100) : even(random, 10, 1500)
  const permits = members > 1 ? even(random, 1, 12) : even(random, 3, 64)
  const most = Math.round((by === 'at once' ? Math.min(permits, (FASTEST * ms) / 1000 + 2) : each) * members)
  return { by, most: Math.max(2, most), saved: even(random, 0.1, 1), word: wordOf(random) }
}

function faultsOf(random: Random): Spell['faults'] {
  const count = random.pick({ 0: 35, 1: 50, 2: 15 })
  const kinds: Fault[] = [503, 500, 502, 504, 'reset']
  const total = even(random, 0.001, 0.2)
  return Array.from({ length: Number(count) }, () => [kinds[random.below(5)]!, rounded(total / Number(count))] as const)
}

/** Something that begins within two seconds of the spell and is over in twenty at most. */
function early(random: Random, from: number, least: number): Span {
  const at = from + random.between(0, 2000)
  return [Math.round(at), Math.round(at + 1000 * even(random, least, 20))]
}

function spellOf(random: Random, from: number, members: number, last?: Spell): Spell {
  const to = from + 1000 * Math.round(random.between(65, 110))
  const isSame = last !== undefined && random.next() < 0.5
  const first = isSame ? last.ms[1] : even(random, 2, 1000)
  const then = random.next() < 0.3 ? Math.min(1000, Math.max(2, first * even(random, 0.2, 5))) : first
  const ms: Spell['ms'] = [
    rounded(first),
    rounded(then),
    random.between(from, to),
    random.below(2) * random.between(0, 30_000),
  ]
  const kind = random.pick(KINDS)
  const limit = isSame ? last.limit : kind === 'limit' ? limitOf(random, members, first) : undefined
  const workers = Math.ceil(even(random, 1, 40) * Math.sqrt(members))
  const eachMs = rounded(Math.max(1, (1000 * workers) / even(random, 20, 1500)))
  const line = isSame ? last.line : kind === 'line' ? { workers, ms: eachMs } : undefined
  const most = members > 1 ? even(random, 20, 200) : even(random, 100, FASTEST)
  const isEndless = members === 1 && Math.min(first, then) > 128_000 / FASTEST && random.next() < 0.5
  return {
    from,
    to,
    ms,
    demand: isSame
      ? Math.min(last.demand, Math.min(first, then) > 128_000 / FASTEST ? Infinity : FASTEST)
      : isEndless
        ? Infinity
        : rounded(most),
    faults: faultsOf(random),
    ...(limit && { limit }),
    ...(line && { line }),
    ...(random.next() < 0.4 && {
      outage: [...early(random, from, 0.3), (['refused', 503, 'reset', 500] as const)[random.below(4)]!] as const,
    }),
    ...(random.next() < 0.15 && { dry: early(random, from, 1) }),
    ...(random.next() < 0.1 && { sleep: early(random, from, 1) }),
  }
}

/** The same for the same seed and number of clients. */
export function drawWorld(seed: number, members: number): WorldPlan {
  const random = new Random(seed * 1009 + members)
  const spells: Spell[] = []
  for (let left = 2 + random.below(4); left > 0; left--)
    spells.push(spellOf(random, spells.at(-1)?.to ?? 0, members, spells.at(-1)))
  const end = spells.at(-1)!.to
  const some = (): number => random.between(0, end)
  return {
    name: `seed ${seed}`,
    spells,
    timeoutMs: Math.round(1000 * even(random, 5, 30)),
    members: Array.from({ length: members }, (_, index) => {
      const from = index > 0 && random.next() < 0.15 ? some() : random.between(0, members > 1 ? 1000 : 0)
      const to = index > 0 && random.next() < 0.15 ? Math.max(from, some()) : Infinity
      return { from, to, isKilled: random.next() < 0.5 }
    }),
  }
}

const steady = (from: number, to: number, ms: number, rest: Partial<Spell> = {}): Spell => ({
  from: from * 1000,
  to: to * 1000,
  ms: [ms, ms, 0, 0],
  demand: ms < 43 ? FASTEST : Infinity,
  faults: [],
  ...rest,
})

/** Those that were met, and are to be known by name. */
export function namedWorlds(): WorldPlan[] {
  const alone = { members: [{ from: 0, to: Infinity }], timeoutMs: 60_000 }
  const outage = [20_000, 21_000, 503] as const
  const lifted: Limit = { by: 'bucket', most: 12, saved: 0.1, word: { fault: 503 } }
  return [50, 200, 500].flatMap((ms) => [
    ...[0.001, 0.003, 0.01, 0.03].map((share) => ({
      name: `a second of outage, then ${share * 100} %, ${ms} ms`,
      ...alone,
      spells: [steady(0, 20, ms), steady(20, 120, ms, { outage, faults: [[503, share]] })],
    })),
    {
      name: `a limit of 12/s that is lifted, then 5 % of faults, ${ms} ms`,
      ...alone,
      spells: [steady(0, 60, ms, { limit: lifted }), steady(60, 160, ms, { faults: [[503, 0.05]] })],
    },
  ])
}
