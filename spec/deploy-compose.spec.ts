// deploy/compose.yaml and stream.yaml agree with each other and with the program. Knows no engine: `npm run test:deploy` brings
// them up.

import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configOf, DEPLOY, NAME, read, variablesOf, VERSION, type ConfigFile } from './deploy-files.ts'

interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly restart?: string
  readonly stop_grace_period?: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly mem_limit?: string
}

describe('compose.yaml', () => {
  const text = read('compose.yaml')
  const { services, volumes } = parse(text, { merge: true }) as {
    services: Readonly<Record<'broker' | 'topics' | 'service' | 'connector' | 'sample', ComposeService>>
    volumes: Readonly<Record<string, unknown>>
  }
  const config = read('stream.yaml')
  const file = parse(config) as ConfigFile
  const { broker, topics, service, connector, sample } = services

  test('its config can be used, and every variable of it is given', async () => {
    await configOf(config)
    expect(Object.keys(connector.environment ?? {}).toSorted()).toEqual(variablesOf(config))
  })

  test('connector and local service are this version of this project', () => {
    for (const { image, build } of [connector, service]) {
      expect(image).toBe(`\${CONNECTOR_IMAGE:-${NAME}:${VERSION}}`)
      expect(existsSync(new URL(`${build}/Dockerfile`, DEPLOY))).toBe(true)
    }
  })

  test('the config is where the connector looks for it', () => {
    const path = connector.command!.at(-1)
    expect(connector.command).toEqual(['stream', '--config', path])
    expect(connector.volumes).toEqual([`./stream.yaml:${path}:ro`])
  })

  test('probes and ports are those of the config', () => {
    const { port } = file.health
    expect(connector.healthcheck!.test.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`)
    expect(connector.ports).toEqual([`127.0.0.1:\${HEALTH_PORT:-${port}}:${port}`])
  })

  test('nothing listens beyond this machine', () => {
    const ports = Object.values(services).flatMap(({ ports = [] }) => ports)
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(ports).toHaveLength(3)
  })

  test('the connector finds broker and local service', () => {
    const advertised = String(broker.environment!['KAFKA_ADVERTISED_LISTENERS'])
    expect(file.kafka.brokers).toEqual([/INSIDE:\/\/([^,]+)/.exec(advertised)![1]])
    for (const { command, healthcheck } of [topics, sample, broker])
      expect([...(command ?? []), ...(healthcheck?.test ?? [])].join(' ')).toContain(file.kafka.brokers[0])
    const { hostname, port } = new URL(file.import_url)
    expect(hostname).toBe('service')
    expect(service.ports![0]).toMatch(new RegExp(`:${port}$`))
    expect(service.command!.join(' ')).toMatch(/^serve --host 0\.0\.0\.0 /)
  })

  test('the topics of the config are made first', () => {
    const made = [...topics.command!.at(-1)!.matchAll(/^topic (\S+)/gm)].map(([, name]) => name)
    expect(made).toEqual([...file.topics.map(({ topic }) => topic), file.dead_letters.topic])
    expect(connector.depends_on!['topics']).toEqual({ condition: 'service_completed_successfully' })
    expect(sample.command!.at(-1)).toContain(`--topic ${file.topics[0]!.topic} `)
  })

  test('the connector has few rights, and time to stop', () => {
    for (const it of [connector, service]) {
      expect(it).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' })
      expect(it.mem_limit).toBe('512m')
    }
    expect(Number.parseInt(connector.stop_grace_period!, 10)).toBeGreaterThanOrEqual(30)
  })

  test('what it refers to within itself is there', () => {
    for (const { depends_on: others = {}, volumes: mounts = [] } of Object.values(services)) {
      for (const other of Object.keys(others)) expect(services).toHaveProperty(other)
      for (const mount of mounts.filter((it) => !it.startsWith('.')))
        expect(volumes).toHaveProperty(mount.split(':')[0]!)
    }
  })
})
