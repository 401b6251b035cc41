// The alerts, the dashboard and the README of deploy/ agree with each other and with the program.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { renewedRunbook } from './alerts.ts'
import { anchorOf } from './anchors.ts'
import { DEPLOY, read } from './deploy-files.ts'

type Labels = Readonly<Record<string, string>>

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly type: string
    readonly datasource: object
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number }
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

const HOMEPAGE = 'https://host.example/owner/name'

/** The metric a series belongs to: those of a histogram have names of their own. */
const seriesBase = (series: string): string => series.replace(/_(?:bucket|sum|count)$/, '')

describe('all of deploy/', () => {
  const entries = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  const files = entries.filter((name) => statSync(new URL(name, DEPLOY)).isFile())
  const names = new Set(METRICS.map(({ name }) => name))

  test.each(files)('%s names metrics that exist', (file) => {
    for (const [name] of read(file).matchAll(/\banalytics_stream_\w+/g)) expect(names).toContain(seriesBase(name))
  })

  test('the alerts name metrics that exist, and labels they have', () => {
    const { groups } = parse(read('prometheus-alerts.yaml')) as {
      groups: readonly { rules: readonly { expr: string; annotations: Labels }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    for (const { expr } of rules) {
      const named = [...expr.matchAll(/\b[a-z]+(?:_[a-z]+)+\b(?!\()/g)].map(([name]) => name)
      expect(named.length).toBeGreaterThan(0)
      for (const name of named) expect(names).toContain(name)
      const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []
      const { labels } = METRICS.find(({ name }) => name === named[0])!
      for (const label of by) expect([...labels, 'job']).toContain(label)
    }
    expect(rules).toHaveLength(7)
  })

  test('each alert has its heading in the runbook, with what to look at, decide and do; the last is of `write`, which has none', () => {
    const { groups } = parse(renewedRunbook(read('prometheus-alerts.yaml'), HOMEPAGE)) as {
      groups: readonly { rules: readonly { alert: string; annotations: { runbook_url: string } }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    const [, ...sections] = read('../docs/runbook.md').split(/^## /m)
    expect(sections.pop()).toMatch(/^`write` failed\n/)
    expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert))
    for (const section of sections)
      expect(Array.from(section.matchAll(/^- \*\*(\w+)\*\*/gm), ([, step]) => step)).toEqual(['Look', 'Decide', 'Do'])
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`${HOMEPAGE}/tree/HEAD/docs/runbook.md#${anchorOf(alert)}`)
  })

  test('runbook_url is where the homepage is, and there is none without one', () => {
    const alerts = read('prometheus-alerts.yaml')
    const published = renewedRunbook(alerts, HOMEPAGE)
    expect(renewedRunbook(published, HOMEPAGE)).toBe(published)
    const without = renewedRunbook(published, undefined)
    expect(without).not.toContain('runbook_url: ')
    expect(without.match(/^ +runbook: docs\/runbook\.md#\w+$/gm)).toHaveLength(7)
  })

  test('the PrometheusRule has the same groups as the alerts', () => {
    const alerts = read('prometheus-alerts.yaml')
    const rule = read('kubernetes/prometheus-operator/prometheus-rule.yaml')
    expect(parse(rule)).toMatchObject({ kind: 'PrometheusRule', spec: parse(alerts) as object })
  })

  test('the dashboard asks for metrics that exist by labels they have, and no panel covers another', () => {
    const { panels, templating } = JSON.parse(read('grafana-dashboard.json')) as Dashboard
    const variables = templating.list.map(({ name }) => `$${name}`)
    for (const { title, type, datasource, gridPos, targets } of panels) {
      expect([type, datasource]).toEqual(['timeseries', { type: 'prometheus', uid: '${datasource}' }])
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (const { expr, legendFormat } of targets) {
        const [metric, ...others] = Array.from(
          expr.matchAll(/\b(?:analytics_stream|process|nodejs)_\w+/g),
          ([it]) => it,
        )
        for (const name of [metric!, ...others]) expect(names, title).toContain(seriesBase(name))
        for (const variable of expr.match(/\$(?!__)\w+/g) ?? []) expect(variables).toContain(variable)
        const { labels } = METRICS.find(({ name }) => name === seriesBase(metric!))!
        const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []
        const shown = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label!)
        for (const label of [...by, ...shown]) expect([...labels, 'instance', 'job', 'le'], title).toContain(label)
      }
    }
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(panels.length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  test('what the README links to and names is there', () => {
    const readme = read('README.md')
    for (const [, path] of readme.matchAll(/\]\(([^)#]+)/g)) expect(existsSync(new URL(path!, DEPLOY)), path).toBe(true)
    const topmost = entries.filter((name) => !name.includes('/') && name !== 'README.md')
    for (const name of topmost) expect(readme).toMatch(new RegExp(`\`${name}/?\``))
  })
})
