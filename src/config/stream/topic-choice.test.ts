// What patterns say of topics' names, and that a name they take too long for keeps nothing waiting.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readConfig } from './testing/stream-configs.ts'
import { entryFor, NamePattern, tryNames, wholeNames } from './topic-choice.ts'

const never = new AbortController().signal
/** As many ways as 2 to the 60th: no processor comes to their end. */
const SLOW = `${'a'.repeat(60)}-`

function patternsOf(...sources: readonly string[]): NamePattern[] {
  return sources.map((source) => new NamePattern(`^(?:${source})$`))
}

it('finds what RegExp does, among many names and alone', async () => {
  const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 4 }), {
    maxLength: 50,
  })
  const sources = fc.uniqueArray(fc.constantFrom('a.*', 'b', String.raw`.*\.a`, '(a|b)+', '(?!a).*b', '(.)\\1', ''), {
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(names, sources, async (there, all) => {
      const [tried, here] = [patternsOf(...all), patternsOf(...all)]
      expect((await tryNames(tried, there, never)).size).toBe(0)
      for (const name of there) {
        const judged = all.map((source) => (RegExp(`^(?:${source})$`, 'u').test(name) ? 'matches' : 'differs'))
        const first = judged.indexOf('matches')
        expect(tried.map(({ known }) => known.get(name))).toEqual(
          judged.map((answer, at) => (first === -1 || at <= first ? answer : undefined)),
        )
        expect(here.map((pattern) => pattern.test(name))).toEqual(judged)
      }
    }),
    { numRuns: 50 },
  )
})

it('leaves out names that take too long, with whose pattern it is, once, and goes on with the others', async () => {
  const patterns = patternsOf('b+', '(a+)+', '.*')
  const [, slow] = patterns
  const there = ['bb', SLOW, 'aa', `a${SLOW}`, 'c', ...Array.from({ length: 5000 }, (_, at) => `d${at}`)]
  expect([...(await tryNames(patterns, there, never))]).toEqual([[slow, [SLOW, `a${SLOW}`]]])
  expect(there.slice(0, 5).map((name) => patterns.map(({ known }) => known.get(name)))).toEqual([
    ['matches', undefined, undefined],
    ['differs', 'too slow', undefined],
    ['differs', 'matches', undefined],
    ['differs', 'too slow', undefined],
    ['differs', 'differs', 'matches'],
  ])
  expect(slow!.test(SLOW)).toBe('too slow')
  expect((await tryNames(patterns, there, never)).size).toBe(0)
  expect((await tryNames(patterns, [...there, `aa${SLOW}`], never)).get(slow!)).toEqual([`aa${SLOW}`])
})

/** Tries names for at least a tenth of a second of the processor, twice as many each time.
 *  @returns how often the rest of the process had its turn meanwhile */
async function turnsAmong(nameOf: (at: number) => string, atFirst: number): Promise<number> {
  for (let count = atFirst; ; count *= 2) {
    let turns = 0
    const names = Array.from({ length: count }, (_name, at) => nameOf(at))
    const turning = setInterval(() => turns++, 1)
    const before = process.threadCpuUsage()
    await tryNames(patternsOf('(a+)+'), names, never)
    clearInterval(turning)
    if (process.threadCpuUsage(before).user > 100_000) return turns
  }
}

it('lets the rest of the process have its turn among slow names', async () => {
  expect(await turnsAmong((at) => SLOW + at, 3)).toBeGreaterThanOrEqual(2)
})

it('lets the rest of the process have its turn among many names', async () => {
  expect(await turnsAmong((at) => `a${at}`, 50_000)).toBeGreaterThanOrEqual(2)
})

it('waits no longer than it is told to, and leaves out what is not tried by then', async () => {
  const [pattern] = patternsOf('(a+)+')
  const names = Array.from({ length: 1000 }, (_, at) => SLOW + at)
  const slow = await tryNames([pattern!], ['a', ...names], AbortSignal.timeout(500))
  expect(slow.get(pattern!)!.slice(-2)).toEqual(names.slice(-2))
  expect(names.map((name) => pattern!.known.has(name))).not.toContain(false)
})

it('leaves a name out that is tried alone', () => {
  expect(patternsOf('(a+)+')[0]!.test(SLOW)).toBe('too slow')
})

it('forgets names that are gone', async () => {
  const patterns = patternsOf('a', 'b')
  await tryNames(patterns, ['a', 'b'], never)
  await tryNames(patterns, ['b', 'c'], never)
  expect(patterns.map(({ known }) => Array.from(known.keys()))).toEqual([
    ['b', 'c'],
    ['b', 'c'],
  ])
  expect((await tryNames([], ['a'], never)).size).toBe(0)
})

it.each([
  ['orders|returns', ['orders', 'returns'], ['orders2', 'my-orders', 'orders\n']],
  [String.raw`^shop\..*$`, ['shop.a', 'shop.'], ['shop', 'a.shop.a']],
  ['.*', ['a', '_', '__consumer_offsets_2'], ['__consumer_offsets', '__transaction_state', 'dead.letters']],
  ['dead.letters', ['dead-letters', 'deadxletters'], ['dead.letters']],
  ['(a)(b)?\\1', ['aa', 'aba'], ['ab']],
])('%s matches whole names', (text, names, others) => {
  const pattern = wholeNames(text, ['dead.letters'])
  for (const name of names) expect(pattern.test(name), name).toBe('matches')
  for (const name of others) expect(pattern.test(name), name).toBe('differs')
})

it('a name wins over patterns, the first pattern over others, and some topics are nobody’s', async () => {
  const topics = [
    { pattern: 'shop_.*', keys: ['a'] },
    { pattern: '.*s', keys: ['b'] },
    { topic: 'shop_orders', keys: ['c'] },
  ]
  const { config } = await readConfig({ top: { topics, dead_letters: { topic: 'shop_letters' } } })
  const of = (name: string): unknown => {
    const keys = entryFor(name, config!.topics)?.keys
    return keys?.from === 'value' ? keys.paths[0]![0] : undefined
  }
  expect(['shop_orders', 'shop_items', 'items', 'item', 'shop_letters', '__consumer_offsets'].map(of)).toEqual([
    'c',
    'a',
    'b',
    undefined,
    undefined,
    undefined,
  ])
})
