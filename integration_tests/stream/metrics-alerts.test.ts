// deploy/prometheus-alerts.yaml, judged by promtool: each alert comes in its own situation and in no other.

import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { promtoolSays } from '../tools/test-parts/need-promtool.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const RULES = new URL('../../deploy/prometheus-alerts.yaml', import.meta.url).pathname

/** What a member tells for an hour, a value a minute, when all is well. */
const WELL = {
  joined: '1x60',
  build_info: '1x60',
  consumer_lag_records: '0+500x60',
  oldest_unsettled_age_seconds: '2x60',
  service_failing_seconds: '0x60',
  dead_letters_total: '7x60',
  process_start_time_seconds: '1000x60',
}
const LABELS: Readonly<Record<string, string>> = {
  consumer_lag_records: ',topic="orders",partition="0"',
  dead_letters_total: ',topic="orders",reason="rejected"',
  build_info: ',version="0.3.0"',
}

type Told = Partial<Record<keyof typeof WELL, string>>

/** Of two members; what is not said of the first is well, and all is of the second, unless both are so. */
function seriesOf(told: Told, areBoth: boolean): { series: string; values: string }[] {
  return ['one', 'two'].flatMap((instance) =>
    Object.entries(instance === 'one' || areBoth ? { ...WELL, ...told } : WELL).map(([name, values]) => ({
      series: `${name.startsWith('process_') ? '' : 'analytics_stream_'}${name}{job="stream",instance="${instance}"${LABELS[name] ?? ''}}`,
      values,
    })),
  )
}

const CASES: readonly [situation: string, told: Told, alerts: readonly string[], areBoth?: boolean][] = [
  ['all is well', {}, []],
  ['one of two is joining', { joined: '0x60' }, []],
  ['none is joined', { joined: '0x60' }, ['Down'], true],
  ['one is started again and again', { process_start_time_seconds: '1000+60x60' }, ['Restarting']],
  ['one was started again once', { process_start_time_seconds: '1000x40 4000x20' }, []],
  ['one falls behind', { consumer_lag_records: '0+5000x60' }, ['Behind']],
  ['nothing is settled', { oldest_unsettled_age_seconds: '0+60x60' }, ['Stuck']],
  ['the service is down', { service_failing_seconds: '0+60x60' }, ['ServiceFailing']],
  ['it was down for four minutes', { service_failing_seconds: '0x56 60+60x4' }, []],
  ['a record is rejected', { dead_letters_total: '7x50 8x10' }, ['DeadLetters']],
  ['a new member begins with rejected records', { dead_letters_total: '_x50 8x10' }, ['DeadLetters']],
  ['one was new half an hour ago', { dead_letters_total: '_x30 8x30' }, []],
  ['a member was away for a while', { dead_letters_total: '7x40 _x10 7x10' }, []],
  ['one was, an hour ago', { dead_letters_total: '7x5 8x55' }, []],
]

/** One situation for `promtool test rules`: exactly these alerts are firing at the end of the hour. */
function ruleTest(told: Told, areBoth: boolean, alerts: readonly string[]): string {
  const firing = {
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: '1h',
    exp_samples: alerts.map((name) => ({ labels: `{alertname="AnalyticsStream${name}"}`, value: 1 })),
  }
  const test = { interval: '1m', input_series: seriesOf(told, areBoth), promql_expr_test: [firing] }
  return JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] })
}

const folder = ownFolder('file')

async function judgeCase(context: TestContext, text: string): Promise<string> {
  const file = join(folder, `${randomUUID()}.yaml`)
  await writeFile(file, text)
  return promtoolSays(context, ['test', 'rules', file])
}

it('promtool finds nothing wrong with the rules', async (context) => {
  expect(await promtoolSays(context, ['check', 'rules', '--lint=all', '--lint-fatal', RULES])).toMatch(
    /^0 .*SUCCESS: 7 rules/s,
  )
})

it.for(CASES)('%s', async ([, told, alerts, areBoth = false], context) => {
  expect(await judgeCase(context, ruleTest(told, areBoth, alerts))).toMatch(/^0 .*SUCCESS/s)
})

it('notices an alert that is missing, and one too many', async (context) => {
  expect(await judgeCase(context, ruleTest({}, false, ['Stuck']))).toMatch(/^1 .*FAILED/s)
  expect(await judgeCase(context, ruleTest({ joined: '0x60' }, true, []))).toMatch(/^1 .*FAILED/s)
})

/** Once more, as another group. */
const withOther = (test: string, joined: string): string =>
  test.replace(
    '"input_series":[',
    `"input_series":[{"series":"analytics_stream_joined{job=\\"other\\",instance=\\"three\\"}","values":"${joined}"},`,
  )

it.for([
  ['is at work', '1x60', []],
  ['is down', '0x60', ['Down']],
  ['is gone', '1x40', ['Down']],
] as const)('tells groups apart by their job: the other %s', async ([, joined, alerts], context) => {
  expect(await judgeCase(context, withOther(ruleTest({}, false, alerts), joined))).toMatch(/^0 .*SUCCESS/s)
})

it('comes with nobody there at all', async (context) => {
  const nothing = ruleTest({}, false, ['Down']).replace(/"input_series":\[.*?\],"promql/, '"input_series":[],"promql')
  expect(await judgeCase(context, nothing)).toMatch(/^0 .*SUCCESS/s)
})
