// The folders of deploy/kubernetes agree with each other and with the program. Knows no cluster: they have never been on one.

import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { configOf, DEPLOY, NAME, read, variablesOf, VERSION, type ConfigFile } from './deploy-files.ts'
import { built } from './kustomize.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Labels; readonly labels: Labels }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: ManifestSpec
}

type Labels = Readonly<Record<string, string>>

interface ManifestSpec {
  readonly selector: { readonly matchLabels: Labels } & Labels
  readonly ports: readonly { readonly name: string; readonly targetPort: string; readonly port: number }[]
  readonly endpoints: readonly { readonly port: string; readonly path: string }[]
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
  readonly name: string
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

const FOLDER = fileURLToPath(new URL('kubernetes/', DEPLOY))

/** Of a folder of deploy/kubernetes, whose objects are all of different kinds. */
function byKind(folder: string): ReadonlyMap<string, Manifest> {
  const { objects } = built<Manifest>(join(FOLDER, folder))
  const kinds = new Map(objects.map((object) => [object.kind, object]))
  expect(kinds.size).toBe(objects.length)
  return kinds
}

/** Whether whatever has these labels is selected. */
function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value)
}

test('every file is named by a kustomization, and every folder that a comment offers is there', () => {
  const folders = globSync('*/kustomization.yaml', { cwd: FOLDER }).map((name) => dirname(name))
  const files = folders.flatMap((folder) => built(join(FOLDER, folder)).files)
  const there = globSync('**/*.yaml', { cwd: FOLDER }).map((name) => join(FOLDER, name))
  expect([...new Set(files)].toSorted()).toEqual(there.toSorted())
  const offered = [...read('kubernetes/overlay/kustomization.yaml').matchAll(/# with .*: (\.\.\/\S+)$/gm)]
  expect(offered).toHaveLength(2)
  for (const [, path] of offered) expect(existsSync(join(FOLDER, 'overlay', path!, 'kustomization.yaml'))).toBe(true)
})

test('the component with a projected token fits the deployment that it changes', () => {
  const [patch] = built<Manifest>(join(FOLDER, 'projected-token')).objects
  const { metadata, spec } = byKind('overlay').get('Deployment')!
  expect(patch!.metadata.name).toBe(metadata.name)
  const [own] = spec.template.spec.containers
  const [added] = patch!.spec.template.spec.containers
  expect(added.name).toBe(own.name)
  expect(own.volumeMounts.map(({ mountPath }) => mountPath)).not.toContain(added.volumeMounts[0]!.mountPath)
})

describe('the Kubernetes manifests', () => {
  const own = byKind('overlay')
  const keda = byKind('keda')
  const operator = byKind('prometheus-operator')
  const of = (kind: string): Manifest => (own.get(kind) ?? keda.get(kind) ?? operator.get(kind))!
  const config = of('ConfigMap').data!['stream.yaml']!
  const file = parse(config) as ConfigFile
  const { template, selector, replicas } = of('Deployment').spec
  const pod = template.spec
  const [container] = pod.containers

  test('the config can be used, and every variable of it is given', async () => {
    await configOf(config)
    expect(container.env.map(({ name }) => name).toSorted()).toEqual(variablesOf(config))
  })

  test('nothing is missing, and nothing is there twice', () => {
    const kinds = ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Secret', 'Service']
    expect([...own.keys()].toSorted()).toEqual(kinds)
    expect([...keda.keys(), ...operator.keys()].filter((kind) => own.has(kind))).toEqual([])
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
    expect(container.image).toBe(`registry.example.com/${NAME}:${VERSION}`)
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

  test('the ServiceMonitor finds the service, and asks the port that the pods have', () => {
    const { selector: found, endpoints } = of('ServiceMonitor').spec
    const { metadata, spec } = of('Service')
    expect(Object.keys(found.matchLabels)).not.toEqual([])
    expect(selects(found.matchLabels, metadata.labels)).toBe(true)
    expect(endpoints).toEqual([{ port: spec.ports[0]!.name, path: '/metrics' }])
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
