// What is measured and what is demanded of it, as a table. Knows no numbers but the bars'.

import type { Mode } from './generate.ts'
import type { InputName } from './inputs.ts'
import type { Row } from './row.ts'

export interface Case {
  readonly name: string
  readonly program: Row['program']
  readonly input: InputName
  readonly mode: Mode
  readonly latencyMs: number
  /** The service stands still once, for so long. */
  readonly standStillMs?: number
  /** It leaves a summary and a report, which ask for samples of fields. */
  readonly isTold?: boolean
}

/** A figure of the scenario's second case over the same figure of its first. */
export interface Ratio {
  readonly of: 'rate' | 'cpuSeconds' | 'peakRssBytes'
  readonly says: string
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Scenario {
  readonly name: string
  /** Run in turn, round by round: the first is the one to compare with. */
  readonly cases: readonly [Case, Case]
  readonly ratios: readonly Ratio[]
  /** Of its second case, in place of MAX_RSS_BYTES. */
  readonly maxRssBytes?: number
}

/** Long enough for V8 to take the process for one that idles. */
const STAND_STILL_MS = 30_000

export const SCENARIOS: readonly Scenario[] = [
  instant('small-dedup', 'small', 'append_dedup', 3),
  instant('small-append', 'small', 'append', 3),
  instant('nested-dedup', 'nested', 'append_dedup', 3.5),
  instant('small-long', 'large', 'append_dedup', 3.5, 0.36),
  instant('nested-long', 'nested-large', 'append_dedup', 4, 0.36),
  {
    name: 'latency-50ms',
    cases: [ordinary('sample', 'append_dedup', 50), ours('ours', 'small', 'append_dedup', 50)],
    ratios: [{ of: 'rate', says: 'records per second, answers after 50 ms', atLeast: 20 }],
  },
  {
    name: 'state-often',
    cases: [ours('ours, every 10,000', 'small', 'append_dedup'), ours('ours, every 50', 'often', 'append_dedup')],
    ratios: [{ of: 'rate', says: 'records per second, STATE every 50 over every 10,000', atLeast: 0.85 }],
  },
  // long ones, because what is loaded for it takes 50 ms
  told('told-small', 'large'),
  told('told-nested', 'nested-large'),
  fiveTimes('rss-dedup', 'append_dedup'),
  fiveTimes('rss-append', 'append'),
  stalled('rss-stalled', 'append_dedup'),
  {
    name: 'rss-streams',
    cases: [ours('ours', 'sample', 'append_dedup', 5), ours('ours, 6,000 streams', 'streams', 'append_dedup', 5)],
    ratios: [],
    maxRssBytes: 200 * 1024 * 1024,
  },
]

/** The peak of every run of ours whose scenario has no bar of its own. */
export const MAX_RSS_BYTES = 170e6
/** The `spec` command over `node -e 0`, wall time. */
export const MAX_SPEC_RATIO = 1.5
/** More than this share of a core and the server may have been the limit, so the ratios mean nothing. */
export const MAX_SERVER_BUSY = 0.85

function instant(name: string, input: InputName, mode: Mode, times: number, cpu = 0.42): Scenario {
  return {
    name,
    cases: [ordinary(input, mode), ours('ours', input, mode)],
    ratios: [
      { of: 'rate', says: 'records per second', atLeast: times },
      { of: 'cpuSeconds', says: 'CPU', atMost: cpu },
    ],
  }
}

function told(name: string, input: InputName): Scenario {
  const untold = ours('ours', input, 'append_dedup')
  return {
    name,
    cases: [untold, { ...untold, name: 'ours, --summary --report', isTold: true }],
    ratios: [{ of: 'rate', says: 'records per second, with --summary and --report over without', atLeast: 0.97 }],
  }
}

function fiveTimes(name: string, mode: Mode): Scenario {
  return {
    name,
    cases: [ours('ours', 'small', mode), ours('ours, 5 x the input', 'large', mode)],
    ratios: [{ of: 'peakRssBytes', says: 'peak RSS, 5 x the input over 1 x', atMost: 1.1 }],
  }
}

/** As many requests at once as there can be, so that much is in flight when the service stands still. */
function stalled(name: string, mode: Mode): Scenario {
  const large = ours('ours, 5 x, stalled', 'large', mode, 50)
  return {
    name,
    cases: [ours('ours', 'small', mode, 50), { ...large, standStillMs: STAND_STILL_MS }],
    ratios: [{ of: 'peakRssBytes', says: 'peak RSS, 5 x the input and a standstill over 1 x', atMost: 1.1 }],
  }
}

function ordinary(input: InputName, mode: Mode, latencyMs = 0): Case {
  return { name: 'ordinary', program: 'ordinary', input, mode, latencyMs }
}

function ours(name: string, input: InputName, mode: Mode, latencyMs = 0): Case {
  return { name, program: 'ours', input, mode, latencyMs }
}
