// What `npm run bench -- peers` found, as the tables of docs/benchmarks.md. Pure.

import type { Damage, Harm } from './service.ts'

export interface SpeedRow {
  readonly peer: string
  readonly latencyMs: number
  readonly records: number
  /** Records a second, start included. */
  readonly rate: number
  /** CPU a record. */
  readonly cpuMicroseconds: number
  readonly peakMegabytes: number
  readonly requests: number
}

export interface DamageRow extends Damage {
  readonly peer: string
  readonly harm: Harm
  /** Whether a run ended well. */
  readonly ended: boolean
  /** How many it took, each from the last checkpoint on. */
  readonly runs: number
  readonly seconds: number
}

export interface PeerResults {
  readonly date: string
  readonly machine: string
  readonly isQuick: boolean
  readonly peers: readonly { readonly name: string; readonly settings: string; readonly objection: string }[]
  readonly speed: readonly SpeedRow[]
  readonly damage: readonly DamageRow[]
}

const HARMS: Readonly<Record<Harm, string>> = {
  none: 'none',
  '500': '5 % answer 500',
  '429': '1 % answer 429, Retry-After 1 s',
  reset: '1 % are stored, then reset',
  late: '2 % answer 504 and land 0.3 to 0.9 s later',
  kill: '`kill -9` in the middle',
  limit: '12 a second for 30 s, then none',
}

export function tablesOf({ date, machine, isQuick, peers, speed, damage }: PeerResults): string {
  const lines = [
    `Measured on ${date}: ${machine}${isQuick ? ', quick' : ''}.`,
    '',
    '| service answers after | peer | records/s | CPU a record | peak memory | requests |',
    '| --- | --- | --: | --: | --: | --: |',
    ...speed.map(
      (it) =>
        `| ${it.latencyMs} ms | ${it.peer} | ${round(it.rate)} | ${it.cpuMicroseconds.toFixed(1)} µs | ${it.peakMegabytes.toFixed(0)} MB | ${round(it.requests)} for ${round(it.records)} |`,
    ),
    '',
    '| harm | peer | lost | stale | altered | doubled | states too early | runs | seconds |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |',
    ...damage.map(
      (it) =>
        `| ${HARMS[it.harm]} | ${it.peer} | ${[it.lost, it.stale, it.altered, it.doubled, it.early].map(round).join(' | ')} | ${it.ended ? it.runs : `not done in ${it.runs}`} | ${it.seconds.toFixed(1)} |`,
    ),
    '',
    '| peer | as its docs recommend | its authors would say |',
    '| --- | --- | --- |',
    ...peers.map((it) => `| ${it.name} | ${it.settings} | ${it.objection} |`),
  ]
  return `${lines.join('\n')}\n`
}

/** Three figures are more than a noisy machine has. */
function round(value: number): string {
  const size = value < 100 ? 1 : 10 ** (Math.floor(Math.log10(value)) - 1)
  return (Math.round(value / size) * size).toLocaleString('en')
}
