// Rows on a broker against the bars. Pure.

import type { Verdict } from '../judge.ts'
import type { KafkaRow } from './kafka-row.ts'
import type { KafkaScenario, RateBar } from './scenarios.ts'

const RATES = [
  ['rate', 'start-up included'],
  ['steadyRate', 'first point to last'],
] as const
const BESIDE = { ordinary: 'the ordinary consumer', unrouted: 'the same without a route' } as const

/** The verdicts on a scenario's two rows: a bar of a rate is to be met with start-up and without. */
export function judgeKafka(scenario: KafkaScenario, rows: readonly [KafkaRow, KafkaRow]): Verdict[] {
  return scenario.bars.flatMap((bar) =>
    bar.of === 'requests' ? judgeRequests(scenario, bar.atMost, rows) : judgeRates(scenario, bar, rows),
  )
}

function judgeRates(
  { name, beside }: KafkaScenario,
  bar: RateBar,
  [other, ours]: readonly [KafkaRow, KafkaRow],
): Verdict[] {
  return RATES.map(([rate, words]) => {
    const found = bar.of === 'rate' ? ours[rate] : ours[rate] / other[rate]
    return {
      scenario: name,
      says: `${bar.of === 'rate' ? 'messages/s' : `times ${BESIDE[beside]}`}, ${words}`,
      found: figure(bar, found),
      bar: `>= ${figure(bar, bar.atLeast)}`,
      pass: found >= bar.atLeast,
    }
  })
}

function judgeRequests(
  { name, beside }: KafkaScenario,
  most: number,
  [other, ours]: readonly [KafkaRow, KafkaRow],
): Verdict {
  const found = ours.requests / other.requests
  return {
    scenario: name,
    says: `times the requests of ${BESIDE[beside]}`,
    found: `${found.toFixed(2)} x`,
    bar: `<= ${most.toFixed(2)} x`,
    pass: found <= most,
  }
}

function figure({ of }: RateBar, value: number): string {
  return of === 'rate' ? Math.floor(value).toLocaleString('en-US') : `${value.toFixed(2)} x`
}
