// Rows on a broker against the bars. Pure.

import type { Verdict } from '../judge.ts'
import { MAX_SERVER_BUSY } from '../scenarios.ts'
import type { KafkaRow } from './kafka-row.ts'
import type { Bar, KafkaScenario } from './scenarios.ts'

const RATES = [
  ['rate', 'start-up included'],
  ['steadyRate', 'first point to last'],
] as const
const BESIDE = { ordinary: 'the ordinary consumer', unrouted: 'the same without a route' } as const

/** The verdicts on a scenario's two rows: each bar is to be met with start-up and without. */
export function judgeKafka(
  { name, beside, bars }: KafkaScenario,
  [other, ours]: readonly [KafkaRow, KafkaRow],
): Verdict[] {
  return bars.flatMap((bar) =>
    RATES.map(([rate, words]) => {
      const found = bar.of === 'rate' ? ours[rate] : ours[rate] / other[rate]
      const says = bar.of === 'rate' ? `messages/s, ${words}` : `times ${BESIDE[beside]}, ${words}`
      return {
        scenario: name,
        says,
        found: figure(bar, found),
        bar: `>= ${figure(bar, bar.atLeast)}`,
        pass: found >= bar.atLeast,
      }
    }),
  )
}

/** Whether the server was the limit of any program: the ratios mean nothing then. */
export function judgeServer(rows: readonly KafkaRow[]): Verdict[] {
  const worst = rows.toSorted((a, b) => b.serverBusy - a.serverBusy)[0]
  if (worst === undefined) return []
  const { scenario, serverBusy } = worst
  return [
    {
      scenario,
      says: 'server busy, the worst',
      found: `${(serverBusy * 100).toFixed(0)} %`,
      bar: `<= ${MAX_SERVER_BUSY * 100} %`,
      pass: serverBusy <= MAX_SERVER_BUSY,
    },
  ]
}

function figure({ of }: Bar, value: number): string {
  return of === 'rate' ? Math.floor(value).toLocaleString('en-US') : `${value.toFixed(2)} x`
}
