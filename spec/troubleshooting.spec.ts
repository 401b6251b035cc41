// docs/troubleshooting.md quotes what the program says: messages of the broken set-ups (which integration_tests/broken-setups/broken-setups
// and stream-broken-setups play), and the lines that tell what a run waits for, made here.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Tally, type EndingFacts } from '../src/core/tally.ts'
import { healthOf } from '../src/telemetry/health.ts'
import { HELD_REASONS, type ServiceFacts } from '../src/run/run-facts.ts'
import { progressEntry, writeEntry } from '../src/telemetry/run-entries.ts'
import { facts, partition, StreamFacts, table, topic } from '../src/run/testing/facts.ts'
import { anchors } from './anchors.ts'
import { holds, readAreas } from './broken-setups/read-cases.ts'

const docs = readFileSync(new URL('../docs/troubleshooting.md', import.meta.url), 'utf8')
const areas = readAreas()

/** The first cells of a section's table, which are code. */
function quotesIn(section: string): string[] {
  const cells = [...section.matchAll(/^\| (`+) ?(.+?) ?\1 \|/gm)]
  return cells.map(([, , quote]) => quote!)
}

function markOf(area: string): string {
  return `<!-- spec/broken-setups/${area}.yaml -->`
}

function sectionOf(mark: string): string {
  return docs.split(mark)[1]?.split('\n## ')[0] ?? ''
}

describe('broken set-ups', () => {
  test('are at least five of each area, and 45 in all', () => {
    expect(areas.map(({ name }) => name)).toEqual([
      'address',
      'catalog',
      'config',
      'kafka',
      'key-and-client',
      'onboarding',
      'records',
      'service',
    ])
    for (const { name, cases } of areas) expect(cases.length, name).toBeGreaterThanOrEqual(5)
    expect(areas.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(45)
  })

  test.each(areas)('of $name have names of their own', ({ cases }) => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })

  test.each(areas)('of $name are explained, each message, and no other', ({ name, cases }) => {
    const said = new Set(cases.map(({ says }) => says.quoted))
    const quotes = quotesIn(sectionOf(markOf(name)))
    expect(quotes.filter((quote, at) => !said.has(quote) || quotes.indexOf(quote) !== at)).toEqual([])
    // one that several areas provoke may be in the section of another
    const all = new Set(areas.flatMap((area) => quotesIn(sectionOf(markOf(area.name)))))
    expect([...said].filter((quote) => !all.has(quote))).toEqual([])
  })
})

describe('"Is it stuck?"', () => {
  const section = sectionOf('\n## Is it stuck?\n')
  const said = [...writeLines(), ...streamTexts()]

  test('shows lines as they are', () => {
    const shown = [...section.matchAll(/```text\n([^`]+?)\n```/g)].map(([, line]) => line)
    expect(shown).toHaveLength(2)
    for (const line of shown) expect(said).toContain(line)
  })

  test('explains parts of lines that are said', () => {
    const quotes = quotesIn(section)
    const others = section.split('`/readyz`')[1]!.matchAll(/`([a-z][^`]*)`/g)
    const reasons = [...others].map(([, quote]) => quote!).filter((quote) => quote !== 'reason')
    expect([quotes.length, reasons.length]).toEqual([24, 3])
    for (const quote of [...quotes, ...reasons])
      expect(
        said.some((line) => holds(line, quote)),
        quote,
      ).toBe(true)
  })

  test('explains every part that a held-up run can name', () => {
    const parts = said.flatMap((line) => line.split('; '))
    const quotes = quotesIn(section)
    const explained = (part: string): boolean =>
      quotes.some((quote) => quote.split(': ').some((one) => holds(part, one)))
    const plain =
      /^(Under way|stream): |^generation \d|^stopping$|^caught up$|^waiting for the schema|^nothing was settled/
    expect(parts.filter((part) => !plain.test(part) && !explained(part))).toEqual([])
  })
})

test('links to what is there', () => {
  const known = anchors(docs)
  for (const [, anchor] of docs.matchAll(/\]\(#([^)]+)\)/g)) expect(known).toContain(anchor)
  for (const [, file] of docs.matchAll(/\]\(([^)#]+\.md)/g))
    expect(readFileSync(new URL(`../docs/${file!}`, import.meta.url), 'utf8')).not.toBe('')
})

function writeLines(): string[] {
  const orders = { name: 'orders', keepLast: true }
  const tally = new Tally()
  const service: { -readonly [Name in keyof ServiceFacts]: ServiceFacts[Name] } = {
    failingSince: 81_000,
    failingCause: '503 Service Unavailable',
    throttledSince: undefined,
    pausedUntil: 133_000,
  }
  const streams = [{ track: { name: 'orders' }, table: orders }]
  const parts = { streams, tally, permits: { limit: 16 }, transport: service }
  const source = new StreamFacts(parts, 1000)
  const ending: EndingFacts = {
    isReadingOver: false,
    stopsAt: undefined,
    isCommitting: false,
    rejecting: 0,
    retryAt: 133_000,
    guardedKeys: 7,
    guardedUntil: 141_000,
  }
  const trackOf = (received: number): ReturnType<Tally['takeTracks']> => [
    {
      track: streams[0]!.track,
      outstanding: 0,
      received,
      written: 0,
      rejected: 4,
      phase: 'open',
      settled: undefined,
    },
  ]
  tally.ofTable(orders).rows = 1_234_000
  const engine = { ...tally.engine(), outstanding: 567, settled: 1, heldCheckpoints: 3, retrying: 2, guarded: 1 }
  Object.assign(tally, { engine: () => engine, ending: () => ending, takeTracks: () => trackOf(1_235_000) })
  let since = source.take(61_000)
  const line = (now: number): string => {
    const facts = source.take(now)
    const { message } = writeEntry(facts, since)
    since = facts
    return message
  }
  tally.takeTracks = () => trackOf(1_235_600)
  const lines = [line(121_000), line(131_000)]
  tally.ending = () => ({ ...ending, isReadingOver: true, rejecting: 2 })
  service.throttledSince = 81_000
  lines.push(line(121_000))
  tally.engine = () => ({ ...engine, inFlight: 3 })
  tally.ending = () => ({ ...ending, isReadingOver: true, stopsAt: 130_000, isCommitting: true })
  lines.push(line(121_000))
  return lines
}

function streamTexts(): string[] {
  const behind = (at: number): ReturnType<typeof facts> =>
    facts({
      at,
      topics: [topic({ records: at })],
      tables: [table({ rows: at / 2 })],
      group: {
        partitions: [
          partition({ lag: 5000n, held: 'fetched_ahead' }),
          partition({ partition: 1, lag: 400n, held: 'fetched_ahead' }),
          partition({ partition: 2 }),
        ],
        oldestAt: at - 45_000,
      },
      delivery: { outstanding: 12_000, inFlight: 8, permits: 8, settledAt: at },
    })
  const brokersDown = [{ place: 'kafka.example.com:9092', since: 2000, cause: 'connection refused' }]
  const joining = facts({ at: 9000, group: { joined: false, partitions: [], brokersDown }, delivery: { permits: 8 } })
  const stuck = facts({ at: 9000, delivery: { outstanding: 1, settledAt: 0 } })
  const awaiting = [1, 2].map((number) => partition({ partition: number, held: 'schemas' }))
  const waiting = facts({
    at: 9000,
    group: { partitions: awaiting, schemasSince: 2000 },
    delivery: { permits: 8 },
  })
  const twice = HELD_REASONS.flatMap((held) => [partition({ held }), partition({ partition: 1, held })])
  const held = facts({ group: { partitions: twice }, delivery: { permits: 8 } })
  return [
    progressEntry(held, undefined).message,
    progressEntry(behind(61_000), behind(1000)).message,
    progressEntry(joining, undefined).message,
    progressEntry(waiting, undefined).message,
    healthOf(waiting, 9000, 60_000).reason,
    healthOf(facts({ at: 9000 }), 9000, 60_000).reason,
    healthOf(stuck, 9000, 5000).reason,
  ]
}
