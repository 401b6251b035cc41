// What pages say of other ways to fill the service is what `npm run bench -- peers` found, and the rows where we lose are in it.

import { expect, test } from 'vitest'
import type { DamageRow, PeerResults } from '../bench/peers/run.ts'
import { HARMS } from '../bench/peers/service.ts'
import type { Harm } from '../bench/peers/service.ts'
import { marksOf } from './between-marks.ts'
import { PAGES, readPage } from './pages.ts'
import { readResults, renewedPeers } from './peers-reference.ts'

const PEERS = [
  'ordinary',
  'Airbyte CDK',
  'Meltano SDK',
  'drt',
  'this connector',
  'ordinary consumer',
  'this connector, a topic',
]
const HARM_NAMES = Object.keys(HARMS) as Harm[]

test('every page says what bench/peers/results.json says: else run `npm run generate`', () => {
  for (const page of PAGES) expect(readPage(page), page).toBe(renewedPeers(readPage(page)))
  for (const name of ['peers', 'peers in short'])
    expect(PAGES.filter((page) => readPage(page).includes(marksOf(name).begin))).not.toEqual([])
  expect(readPage('README.md')).toContain(marksOf('peers in short').begin)
})

test('results are of every peer and harm, with each measure in which another is better', () => {
  const results = readResults()
  expect(results === undefined ? [] : missing(results)).toEqual([])
})

test('a page shows all of the results, and the README five lines of at most 100 characters', () => {
  const made = madeUp()
  expect(missing(made)).toEqual([])
  const all = between('peers', made)
  for (const peer of PEERS)
    for (const part of [`set-up of ${peer}`, `objection of ${peer}`]) expect(all).toContain(part)
  for (const words of Object.values(HARMS)) expect(all).toContain(`| ${words} | `)
  expect(all).toContain('3,300 lost, 1 early (61 s, 20 runs, **not done**)')
  expect(all).toContain('this connector 0.30 s')
  expect(all).toContain('2026-11-28')
  const [, text] = /^```text\n([^]*)^```$/m.exec(between('peers in short', made))!
  const lines = text!.trim().split('\n')
  expect(lines).toHaveLength(1 + 5)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
  expect(lines.find((line) => line.startsWith('this connector '))).toMatch(/ 120 MB +0\.3 s .* 61 s$/)
})

test('the README keeps room for them', () => {
  const prose = renewedPeers(readPage('README.md'), madeUp()).replaceAll(/<!--.*?-->|^```[^]*?^```$/gm, '')
  expect(prose.trim().split(/\s+/).length).toBeLessThanOrEqual(900)
})

test('without results there is no figure', () => {
  const [all, short] = [renewedPeers(empty('peers'), null), renewedPeers(empty('peers in short'), null)]
  expect(all.replaceAll(/<!--.*-->/g, '').trim()).toBe(
    'Not measured yet: `npm run bench -- peers` does, and then `npm run generate` writes this.',
  )
  expect(short).toBe(empty('peers in short'))
})

/** What the tables would lack. */
function missing({ peers, speed, start, damage }: PeerResults): string[] {
  return PEERS.flatMap((peer) => [
    ...(peers.some(({ name, settings, objection }) => name === peer && settings && objection)
      ? []
      : [`${peer}: settings`]),
    ...[0, 50]
      .filter((ms) => !speed.some((it) => it.peer === peer && it.latencyMs === ms && it.peakMegabytes > 0))
      .map((ms) => `${peer}: ${ms} ms`),
    ...HARM_NAMES.filter((harm) => !damage.some((it) => it.peer === peer && it.harm === harm && it.seconds > 0)).map(
      (harm) => `${peer}: ${harm}`,
    ),
    ...(peer.includes('consumer') || peer.includes('topic') || start[peer]! > 0 ? [] : [`${peer}: start`]),
  ])
}

function madeUp(): PeerResults {
  const peers = PEERS.map((name) => ({ name, settings: `set-up of ${name}`, objection: `objection of ${name}` }))
  const speed = PEERS.flatMap((peer) =>
    [0, 50].map((latencyMs) => {
      const [rate, cpuMicroseconds, peakMegabytes] = [390_000, 2.5, 120] as const
      return { peer, latencyMs, records: 200_000, rate, cpuMicroseconds, peakMegabytes, requests: 2000 }
    }),
  )
  const damage = PEERS.flatMap((peer) =>
    HARM_NAMES.map((harm): DamageRow => {
      const [lost, stale, altered, doubled, early] = [3300, 0, 0, 0, 1] as const
      const ended = false
      return { peer, harm, records: 20_000, ended, runs: 20, seconds: 61.4, lost, stale, altered, doubled, early }
    }),
  )
  const start = Object.fromEntries(PEERS.slice(0, 5).map((peer) => [peer, 0.3]))
  return { date: '2026-11-28', machine: '2 cores', isQuick: true, peers, speed, start, damage }
}

function empty(name: string): string {
  const { begin, end } = marksOf(name)
  return `${begin}\n${end}\n`
}

function between(name: string, results: PeerResults): string {
  const page = renewedPeers(empty(name), results)
  const { begin, end } = marksOf(name)
  return page.slice(page.indexOf(begin) + begin.length, page.indexOf(end)).trim()
}
