// The files a connector registry reads: they say what package.json and the specification say.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { pageAt } from './published.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { name, version, license, homepage } = JSON.parse(read('package.json')) as Record<string, string>
const specification = JSON.parse(read('spec/connector-specification.json')) as Record<string, unknown> & {
  connectionSpecification: { properties: object }
}
const { data, metadataSpecVersion } = parse(read('metadata.yaml')) as {
  metadataSpecVersion: string
  data: Record<string, unknown> & { allowedHosts: { hosts: string[] } }
}

test('metadata.yaml says what every registry asks for', () => {
  expect(metadataSpecVersion).toBe('1.0')
  expect(data).toMatchObject({
    name: 'Analytics Service',
    definitionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    connectorType: 'destination',
    connectorSubtype: 'api',
    dockerRepository: name,
    dockerImageTag: version,
    license,
    githubIssueLabel: name,
    releaseStage: 'alpha',
    protocolVersion: specification['protocol_version'],
  })
})

test('the documentation is where the publisher says, or nowhere', () => {
  const page = homepage === undefined ? undefined : pageAt(homepage, 'docs/airbyte.md')
  expect(data['documentationUrl']).toBe(page)
  expect(specification['documentationUrl']).toBe(page)
  for (const file of ['metadata.yaml', 'Dockerfile', 'package.json'])
    expect(read(file), file).not.toContain('example.com')
})

test('the hosts it may reach are options of its configuration', () => {
  expect(data.allowedHosts.hosts).toEqual(['${import_url}', '${sandbox.import_url}'])
  const { properties } = specification.connectionSpecification
  expect(properties).toMatchObject({
    import_url: { type: 'string' },
    sandbox: { oneOf: [{ title: 'Off' }, { properties: { import_url: { type: 'string' } } }] },
  })
})

test('the icon is a square drawing without scripts, and small', () => {
  const icon = read('icon.svg')
  expect(icon.length).toBeLessThan(4096)
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(icon)!
  expect(width).toBe(height)
  expect(icon).not.toMatch(/<script|href|on\w+=|<image|<foreignObject/i)
})

test('the image the acceptance tests run is ours, and the files they name are there', () => {
  const text = read('acceptance-test-config.yml')
  expect((parse(text) as Record<string, unknown>)['connector_image']).toBe(`${name}:dev`)
  for (const [, path] of text.matchAll(/_path: (\S+)/g)) expect(read(path!)).not.toBe('')
})
