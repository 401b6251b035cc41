// The tables of what `npm run bench -- peers` found, wherever a page has their marks: all of them, or the five lines of the
// README.

import { readFileSync } from 'node:fs'
import type { DamageRow, PeerResults } from '../bench/peers/run.ts'
import { HARMS, type Harm } from '../bench/peers/service.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

const FILE = new URL('../bench/peers/results.json', import.meta.url)
const KINDS = ['lost', 'stale', 'altered', 'doubled', 'early'] as const

/** What was measured last. */
export function readResults(): PeerResults {
  return JSON.parse(readFileSync(FILE, 'utf8')) as PeerResults
}

/** A page with the blocks renewed that it has marks of. */
export function renewedPeers(page: string): string {
  const blocks = { peers: allTables, 'peers in short': shortLines }
  return Object.entries(blocks).reduce(
    (text, [name, write]) =>
      text.includes(marksOf(name).begin) ? renewedBetween(text, marksOf(name), write(readResults())) : text,
    page,
  )
}

function allTables({ date, machine, isQuick, peers, speed, start, damage }: PeerResults): string {
  const settings = peers.map(({ name, settings, objection }) => [name, settings, objection])
  const speeds = speed.map((it) => {
    const cells = [`${it.latencyMs} ms`, it.peer, round(it.rate), `${it.cpuMicroseconds.toFixed(1)} µs`]
    return [...cells, `${it.peakMegabytes.toFixed(0)} MB`, `${round(it.requests)} for ${round(it.records)}`]
  })
  const starts = Object.entries(start).map(([peer, seconds]) => `${peer} ${seconds.toFixed(2)} s`)
  const names = peers.map(({ name }) => name)
  const harms = (Object.keys(HARMS) as Harm[]).map((harm) => {
    const of = (peer: string): DamageRow | undefined => damage.find((it) => it.peer === peer && it.harm === harm)
    return [HARMS[harm] as string].concat(names.map((name) => outcome(of(name))))
  })
  return [
    `Measured on ${date} with ${machine}; ${isQuick ? 'one run each' : 'medians of three runs'}. ${round(damage[0]?.records ?? 0)} records where harm is done.`,
    markdownTable(['an answer takes', 'peer', 'records/s', 'CPU a record', 'peak memory', 'requests'], speeds),
    `A run with one record takes: ${starts.join(', ')}.`,
    markdownTable(['harm', ...names], harms),
    markdownTable(['peer', 'as its docs recommend', 'its authors would say'], settings),
  ].join('\n\n')
}

/** What is wrong, in words, then how long it took. */
function outcome(row: DamageRow | undefined): string {
  if (row === undefined) return ''
  const wrong = KINDS.filter((kind) => row[kind] > 0).map((kind) => `${round(row[kind])} ${kind}`)
  const runs = row.runs === 1 ? '' : `, ${row.runs} runs`
  const ended = row.ended ? '' : ', **not done**'
  return `${wrong.join(', ') || 'none'} (${seconds(row.seconds)}${runs}${ended})`
}

/** A line each for those that read what an Airbyte source prints, drt included. */
function shortLines({ date, peers, speed, start, damage }: PeerResults): string {
  const heads = ['', 'records/s', '50 ms', 'memory', 'start', ...KINDS, 'late rows']
  const rows = peers
    .filter(({ name }) => start[name] !== undefined)
    .map(({ name }) => {
      const [at0, at50] = [0, 50].map((ms) => speed.find((it) => it.peer === name && it.latencyMs === ms))
      const own = damage.filter((it) => it.peer === name)
      const sums = KINDS.map((kind) => round(own.reduce((sum, it) => sum + it[kind], 0)))
      const memory = `${Math.max(at0?.peakMegabytes ?? 0, at50?.peakMegabytes ?? 0).toFixed(0)} MB`
      const late = own.find(({ harm }) => harm === 'late')?.seconds ?? 0
      const speeds = [name, round(at0?.rate ?? 0), round(at50?.rate ?? 0), memory, seconds(start[name]!)]
      return speeds.concat(sums, seconds(late))
    })
  const widths = heads.map((_, at) => Math.max(...[heads, ...rows].map((row) => row[at]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ')
  const text = [heads, ...rows].map((row) => line(row).trimEnd()).join('\n')
  return `Beside others (${date}): records a second, memory and start; rows that are wrong after 500s, 429s, resets, late rows, \`kill -9\`
and a limit; STATEs that came early; how long a run with late rows takes.

\`\`\`text\n${text}\n\`\`\``
}

function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} s`
}

/** Three figures are more than a noisy machine has. */
function round(value: number): string {
  const size = value < 100 ? 1 : 10 ** (Math.floor(Math.log10(value)) - 1)
  return (Math.round(value / size) * size).toLocaleString('en')
}
