// The manifests, the alerts and the README of deploy/ agree with each other and with the program. Knows no cluster: the
// manifests have never been on one.

import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { anchorOf } from './anchors.ts'
import { configOf, DEPLOY, NAME, read, variablesOf, VERSION } from './deploy-files.ts'
import type { ConfigFile } from './deploy-files.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: ManifestSpec
}

type Labels = Readonly<Record<string, string>>

interface ManifestSpec {
  readonly selector: { readonly matchLabels: Labels } & Labels
  readonly ports: readonly { readonly name: string; readonly targetPort: string; readonly port: number }[]
  readonly replicas?: number
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec }
  readonly scaleTargetRef: { readonly kind?: string; readonly name: string }
  readonly maxReplicas: number
  readonly maxReplicaCount: number
  readonly metrics: readonly {
    readonly external: {
      readonly metric: { readonly name: string; readonly selector: { readonly matchLabels: Labels } }
    }
  }[]
  readonly triggers: readonly { readonly metadata: Labels; readonly authenticationRef: { readonly name: string } }[]
  readonly secretTargetRef: readonly { readonly name: string; readonly key: string }[]
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly topologySpreadConstraints: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[]
  readonly containers: readonly [Container]
  readonly volumes: readonly { readonly name: string; readonly configMap: { readonly name: string } }[]
}

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly {
    readonly name: string
    readonly valueFrom: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

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

/** The metric a series belongs to: those of a histogram have names of their own. */
const seriesBase = (series: string): string => series.replace(/_(?:bucket|sum|count)$/, '')

function manifestsOf(name: string): ReadonlyMap<string, Manifest> {
  const documents = parseAllDocuments(read(name))
  if ('empty' in documents) throw new Error(`${name} is empty`)
  for (const { errors, warnings } of documents) expect([...errors, ...warnings]).toEqual([])
  const manifests = documents.map((document) => document.toJS() as Manifest)
  const byKind = new Map(manifests.map((manifest) => [manifest.kind, manifest]))
  expect(byKind.size).toBe(manifests.length)
  return byKind
}

/** Whether whatever has these labels is selected. */
function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value)
}

describe('the Kubernetes manifests', () => {
  const own = manifestsOf('kubernetes.yaml')
  const keda = manifestsOf('kubernetes-keda.yaml')
  const of = (kind: string): Manifest => own.get(kind) ?? keda.get(kind)!
  const config = of('ConfigMap').data!['stream.yaml']!
  const file = parse(config) as ConfigFile
  const { template, selector, replicas } = of('Deployment').spec
  const pod = template.spec
  const [container] = pod.containers

  test('the config can be used, and every variable of it is given', async () => {
    await configOf(config)
    expect(container.env.map(({ name }) => name).toSorted()).toEqual(variablesOf(config))
  })

  test('every secret is in the template', () => {
    const { metadata, stringData } = of('Secret')
    const references = [
      ...container.env.map(({ valueFrom }) => valueFrom.secretKeyRef),
      ...of('TriggerAuthentication').spec.secretTargetRef,
    ]
    for (const { name, key } of references) {
      expect(name).toBe(metadata.name)
      expect(stringData).toHaveProperty([key])
    }
    expect(new Set(Object.values(stringData!))).toEqual(new Set(['replace-me']))
  })

  test('the image is this version of this project', () => {
    expect(container.image.split('/').at(-1)).toBe(`${NAME}:${VERSION}`)
    expect(template.metadata.labels['app.kubernetes.io/version']).toBe(VERSION)
  })

  test('the config is where the connector looks for it', () => {
    const { name, mountPath } = container.volumeMounts[0]!
    expect(container.args).toEqual(['stream', '--config', `${mountPath}/stream.yaml`])
    expect(pod.volumes).toEqual([{ name, configMap: { name: of('ConfigMap').metadata.name } }])
  })

  test('probes and ports are those of the config', () => {
    expect(container.ports).toEqual([{ name: 'health', containerPort: file.health.port }])
    const { startupProbe, livenessProbe, readinessProbe } = container
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)
    expect(asked).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'health' })))
    const { spec, metadata } = of('Service')
    expect(spec.ports).toEqual([{ name: 'health', port: file.health.port, targetPort: 'health' }])
    expect(metadata.annotations).toMatchObject({ 'prometheus.io/port': `${file.health.port}` })
  })

  test('selectors find the pods', () => {
    const { labels } = template.metadata
    const selectors: Labels[] = [
      selector.matchLabels,
      of('PodDisruptionBudget').spec.selector.matchLabels,
      of('Service').spec.selector,
      ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
    ]
    for (const one of selectors) {
      expect(Object.keys(one)).not.toEqual([])
      expect(selects(one, labels)).toBe(true)
    }
  })

  test('the pod has few rights, and time to stop', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(35)
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }
    expect(container.securityContext).toEqual(rights)
  })

  test('the autoscalers scale the deployment, by the lag of what the config reads', () => {
    const [hpa, scaled] = [of('HorizontalPodAutoscaler').spec, of('ScaledObject').spec]
    const { name } = of('Deployment').metadata
    expect([hpa.scaleTargetRef.name, scaled.scaleTargetRef.name, replicas]).toEqual([name, name, undefined])
    expect(scaled.maxReplicaCount).toBe(hpa.maxReplicas)
    const { metric } = hpa.metrics[0]!.external
    const { labels } = METRICS.find((one) => one.name === metric.name)!
    for (const label of Object.keys(metric.selector.matchLabels)) expect(labels).toContain(label)
    const { topics, kafka } = file
    expect(metric.selector.matchLabels).toEqual({ topic: topics[0]!.topic })
    const [trigger] = scaled.triggers
    expect(trigger!.metadata).toMatchObject({
      bootstrapServers: kafka.brokers.join(','),
      consumerGroup: kafka.group,
      topic: topics[0]!.topic,
    })
    expect(trigger!.authenticationRef.name).toBe(of('TriggerAuthentication').metadata.name)
  })
})

describe('all of deploy/', () => {
  const files = readdirSync(DEPLOY)
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
      const named = [...expr.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name)
      expect(named.length).toBeGreaterThan(0)
      for (const name of named) expect(names).toContain(name)
      const by = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []
      const { labels } = METRICS.find(({ name }) => name === named[0])!
      for (const label of by) expect(labels).toContain(label)
    }
    expect(rules).toHaveLength(6)
  })

  test('each alert has its heading in the runbook, with what to look at, decide and do; no other has', () => {
    const { groups } = parse(read('prometheus-alerts.yaml')) as {
      groups: readonly { rules: readonly { alert: string; annotations: { runbook_url: string } }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    const [, ...sections] = read('../docs/runbook.md').split(/^## /m)
    expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert))
    for (const section of sections)
      expect(Array.from(section.matchAll(/^- \*\*(\w+)\*\*/gm), ([, step]) => step)).toEqual(['Look', 'Decide', 'Do'])
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${anchorOf(alert)}`)
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
    for (const file of files.filter((name) => name !== 'README.md')) expect(readme).toContain(`\`${file}\``)
  })
})
