import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commitOf, missingIn, npmSbom, sameSbom } from './sbom.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const COMMIT = { id: 'a'.repeat(40), time: '2026-01-02T03:04:05.000Z' }
const NAME = 'destination-analytics-service'

it('is the same for a commit, whenever and in whatever folder npm is asked', () => {
  const said = npmSbom(ROOT)
  const later = said
    .replace(/"serialNumber": ".*"/, '"serialNumber": "urn:uuid:0"')
    .replace(/"timestamp": ".*"/, '"timestamp": "later"')
    .replace(/("component": \{[^}]*?"name": )"[^"]*"/, '$1"elsewhere"')
  expect(later).not.toBe(said)
  const bom = sameSbom(said, NAME, COMMIT)
  expect(sameSbom(later, NAME, COMMIT)).toBe(bom)
  expect(sameSbom(said, NAME, { ...COMMIT, id: 'b'.repeat(40) })).not.toBe(bom)
  expect(JSON.parse(bom)).toMatchObject({
    bomFormat: 'CycloneDX',
    serialNumber: expect.stringMatching(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    metadata: { timestamp: COMMIT.time, component: { name: NAME } },
  })
})

it('lists every package of the bundle, and notices one that it leaves out', () => {
  const bom = sameSbom(npmSbom(ROOT), NAME, COMMIT)
  const { components } = JSON.parse(bom) as { components: { name: string; version: string }[] }
  const { dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { dependencies: object }
  expect(components.map((it) => it.name)).toEqual(expect.arrayContaining(Object.keys(dependencies)))
  expect(components.map((it) => it.name)).not.toContain('vitest')
  const title = ({ name, version }: { name: string; version: string }): string => `${name} ${version} (MIT)`
  const licenses = components.map((it) => title(it)).join('\n')
  expect(missingIn(bom, `${licenses}\nrolldown 1.2.19 (MIT)`)).toEqual([])
  expect(missingIn(bom, `${licenses}\nleft-pad 1.3.0 (MIT)`)).toEqual(['left-pad 1.3.0'])
  expect(() => missingIn(bom, 'nothing')).toThrow('names no package')
})

it('knows commit and time of the checkout', () => {
  expect(commitOf(ROOT)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{40}$/),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
  })
})
