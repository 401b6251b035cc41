// Rows against the bars. Pure.

import type { Startup } from './compare-startup.ts'
import type { Row } from './row.ts'
import { MAX_RSS_BYTES, MAX_SERVER_BUSY, MAX_SPEC_RATIO, SCENARIOS, type Ratio, type Scenario } from './scenarios.ts'

export interface Verdict {
  readonly scenario: string
  readonly says: string
  readonly found: string
  readonly bar: string
  readonly pass: boolean
  /** Not measured at all: it fails even where missed bars do not count. */
  readonly broken?: boolean
}

/** The verdicts on a scenario's two rows. */
export function judgeScenario(scenario: Scenario, [first, second]: readonly [Row, Row]): Verdict[] {
  const { name, ratios, maxRssBytes } = scenario
  const verdicts = ratios.map((ratio): Verdict => {
    const found = figure(second, ratio.of) / figure(first, ratio.of)
    const { bar, pass } = against(found, ratio)
    return { scenario: name, says: ratio.says, found: `${found.toFixed(2)} x`, bar, pass }
  })
  return maxRssBytes === undefined
    ? verdicts
    : [...verdicts, judgePeak(second, `peak RSS, ${second.name}`, maxRssBytes)]
}

/** The verdicts on all rows together: the memory of each run of ours, and whether the server was the limit. */
export function judgeRows(rows: readonly Row[]): Verdict[] {
  const peak = worst(
    rows.filter(({ program, scenario }) => program === 'ours' && !hasOwnPeak(scenario)),
    (row) => row.peakRssBytes,
  )
  const verdicts = peak === undefined ? [] : [judgePeak(peak, 'peak RSS, the worst of ours', MAX_RSS_BYTES)]
  return [...verdicts, ...judgeServer(rows)]
}

/** Whether the server was the limit of any program: the ratios mean nothing then. */
export function judgeServer(rows: readonly Pick<Row, 'scenario' | 'serverBusy'>[]): Verdict[] {
  const busy = worst(rows, (row) => row.serverBusy)
  if (busy === undefined) return []
  const { scenario, serverBusy } = busy
  const [found, bar] = [`${(serverBusy * 100).toFixed(0)} %`, `<= ${MAX_SERVER_BUSY * 100} %`]
  return [{ scenario, says: 'server busy, the worst', found, bar, pass: serverBusy <= MAX_SERVER_BUSY }]
}

export function judgeStartup({ nodeSeconds, specSeconds }: Startup): Verdict {
  const found = specSeconds / nodeSeconds
  const times = `${found.toFixed(2)} x (${milliseconds(specSeconds)} ms, ${milliseconds(nodeSeconds)} ms)`
  return { scenario: 'spec', says: 'spec over node -e 0', found: times, ...against(found, { atMost: MAX_SPEC_RATIO }) }
}

function hasOwnPeak(scenario: string): boolean {
  return SCENARIOS.some(({ name, maxRssBytes }) => name === scenario && maxRssBytes !== undefined)
}

function judgePeak({ scenario, peakRssBytes }: Row, says: string, most: number): Verdict {
  const [found, bar] = [`${megabytes(peakRssBytes)} MB`, `<= ${megabytes(most)} MB`]
  return { scenario, says, found, bar, pass: peakRssBytes <= most }
}

function against(
  found: number,
  { atLeast, atMost }: Pick<Ratio, 'atLeast' | 'atMost'>,
): { bar: string; pass: boolean } {
  if (atLeast !== undefined) return { bar: `>= ${atLeast} x`, pass: found >= atLeast }
  if (atMost !== undefined) return { bar: `<= ${atMost} x`, pass: found <= atMost }
  throw new RangeError('a bar without a limit')
}

function figure(row: Row, of: Ratio['of']): number {
  return of === 'rate' ? row.records / row.seconds : row[of]
}

function worst<T>(rows: readonly T[], of: (row: T) => number): T | undefined {
  return rows.toSorted((a, b) => of(b) - of(a))[0]
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}

function milliseconds(seconds: number): string {
  return (seconds * 1e3).toFixed(1)
}
