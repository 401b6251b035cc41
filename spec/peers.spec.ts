// What pages say of other ways to fill the service is what `npm run bench -- peers` found, and the rows where we lose are in it.

import { expect, test } from 'vitest'
import { HARMS, type Harm } from '../bench/peers/service.ts'
import { marksOf } from './between-marks.ts'
import { PAGES, readPage } from './pages.ts'
import { readResults } from './peers-reference.ts'

const PEERS = [
  'ordinary',
  'Airbyte CDK',
  'Meltano SDK',
  'drt',
  'this connector',
  'ordinary consumer',
  'this connector, a topic',
]
const page = PAGES.map(readPage).find((text) => text.includes(marksOf('peers').begin))

test.each(PEERS)(
  'there is every measure of %s, also where another is better, and a page shows its settings',
  (peer) => {
    const { peers, speed, start, damage } = readResults()
    const { settings, objection } = peers.find(({ name }) => name === peer)!
    for (const words of [settings, objection]) expect(page).toContain(`| ${words} |`)
    const measured = speed.filter((it) => it.peer === peer && it.peakMegabytes > 0).map(({ latencyMs }) => latencyMs)
    expect(measured).toEqual(expect.arrayContaining([0, 50]))
    for (const harm of Object.keys(HARMS) as Harm[])
      expect(damage.find((it) => it.peer === peer && it.harm === harm)?.seconds, harm).toBeGreaterThan(0)
    if (!/consumer|topic/.test(peer)) expect(start[peer]).toBeGreaterThan(0)
  },
)

test('a page tells of each harm, and the README of five peers', () => {
  for (const words of Object.values(HARMS)) expect(page).toContain(`| ${words} | `)
  const { begin, end } = marksOf('peers in short')
  const [, text] = /^```text\n([^]*)^```$/m.exec(readPage('README.md').split(begin)[1]!.split(end)[0]!)!
  expect(text!.trim().split('\n')).toHaveLength(1 + 5)
})
