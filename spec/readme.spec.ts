// The pages for people say what the code does: their tables of options and metrics, their files, their scripts; and the README
// stays short.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kafkaVersion } from '../integration_tests/tools/test-parts/kafka.ts'
import { HELP } from '../src/commands/help/help-texts.ts'
import { METRICS } from '../src/telemetry/metric-list.ts'
import { PAGES, readPage } from './pages.ts'
import { addressesOf, renewedAddress, renewedMetadata } from './published.ts'

const ROOT = new URL('../', import.meta.url)
/** A block of code: its language, and what is in it. */
const CODE = /^```(.*)\n([^]*?)^```$/gm
const scripts = Object.keys(
  (JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { scripts: object }).scripts,
)

test('docs/operating.md tells the types of metrics by their names', () => {
  const typeOf = (name: string): string =>
    name.endsWith('_total') ? 'counter' : name.endsWith('_duration_seconds') ? 'histogram' : 'gauge'
  expect(METRICS.filter(({ name, type }) => type !== typeOf(name))).toEqual([])
  const rule =
    'Names that end in `_total` are counters, the one that ends in `_duration_seconds` is a histogram, all others are gauges.'
  expect(readPage('docs/operating.md')).toContain(rule)
})

/** Figures that may only fall. Not counted are what was changed in which version (CHANGELOG.md, HISTORY.md) and the figures that a
 *  bench wrote. */
const MOST_WORDS = 64_000
const MOST_PAGES = 28

test('docs are few pages and words: README, CONTRIBUTING, SECURITY and docs/ together', () => {
  const counted = PAGES.filter((page) => /^(?:docs\/.*|README|CONTRIBUTING|SECURITY)\.md$/.test(page))
  const MEASURED = /<!-- peers[^]*?end -->/g
  const words = counted.map((page) => readPage(page).replaceAll(MEASURED, '').trim().split(/\s+/).length)
  const all = words.reduce((sum, count) => sum + count, 0)
  expect(all, 'Words of all docs: shorten a page by as many as you add.').toBeLessThanOrEqual(MOST_WORDS)
  expect(counted.filter((page) => page.startsWith('docs/')).length).toBeLessThanOrEqual(MOST_PAGES)
})

test('the README is short: its words, links, lines of output and configs; docs/stream.md has 4,500 words at most', () => {
  const readme = renewedAddress(readPage('README.md'), undefined).replaceAll(/<!--.*?-->/g, '')
  const words = (text: string): number => text.trim().split(/\s+/).length
  expect(words(readme.replaceAll(CODE, ''))).toBeLessThanOrEqual(900)
  expect(readme.split('](').length - 1).toBeLessThanOrEqual(24)
  const shown = [...readme.matchAll(CODE)].filter(([, language]) => language !== 'sh' && language !== '')
  expect(shown.length).toBeGreaterThan(2)
  for (const line of shown.flatMap(([, , code]) => code!.split('\n'))) expect(line.length).toBeLessThanOrEqual(100)
  expect(words(readPage('docs/stream.md'))).toBeLessThanOrEqual(4500)
  const rule = 'README has 900 words without its code, 24 links and lines of output of 100 characters at most.'
  expect(readPage('CONTRIBUTING.md').replaceAll(/\s+/g, ' ')).toContain(rule)
})

test('the README shows on its first screen the samples that tests run: three fields, and a stream.yaml of eight lines at most', () => {
  const [screen] = readPage('README.md').split('\n## ')
  const [config, stream] = ['json', 'yaml'].map(
    (language) => [...screen!.matchAll(CODE)].find((it) => it[1] === language)![2]!,
  )
  expect(config).toBe(readPage('spec/sample/config.json'))
  expect(Object.keys(JSON.parse(config!) as object)).toHaveLength(3)
  expect(stream).toBe(readPage('spec/sample/stream.yaml'))
  expect(stream!.trim().split('\n').length).toBeLessThanOrEqual(8)
})

test('the README says where it has run with the versions that tests fetch', () => {
  const ran = readPage('README.md').replaceAll(/\s+/g, ' ')
  const requirements = readPage('integration_tests/tools/pyairbyte/requirements.txt')
  const [pyairbyte, suite] = ['airbyte', 'airbyte-cdk'].map(
    (name) => new RegExp(`^${name}==([\\d.]+)`, 'm').exec(requirements)![1]!,
  )
  const [, other] = /OTHER_VERSION = '([\d.]+)'/.exec(readPage('integration_tests/tools/test-parts/pin.ts'))!
  const program = readPage('integration_tests/tools/cluster/programs/kube-apiserver/go.mod')
  const [, kubernetes] = /k8s\.io\/kubernetes v(\d+\.\d+)/.exec(program)!
  expect(ran).toContain(`Apache Kafka ${kafkaVersion({})} and ${other!}`)
  expect(ran).toContain(`PyAirbyte ${pyairbyte!}; `)
  expect(ran).toContain(`passes the connector suite of airbyte-cdk ${suite!}.`)
  expect(ran).toContain(`Kubernetes ${kubernetes!}`)
})

test('the README lists every command', () => {
  const rows = readPage('README.md').matchAll(/^\| `([a-z]+)[ `]/gm)
  expect(new Set(Array.from(rows, ([, name]) => name))).toEqual(new Set(Object.keys(HELP)))
})

test('README and metadata link to an address only if package.json has one, and to that alone', () => {
  const readme = readPage('README.md')
  const published = renewedAddress(readme, 'https://publisher.test/a/b')
  expect(published).toContain('[Questions and defects](https://publisher.test/a/b/issues)')
  expect(published).toContain('![version ')
  expect(addressesOf('https://publisher.test/a/b')).toEqual({
    repository: { type: 'git', url: 'git+https://publisher.test/a/b.git' },
    bugs: 'https://publisher.test/a/b/issues',
  })
  const metadata = readPage('metadata.yaml')
  const address = 'documentationUrl: https://publisher.test/a/b/tree/HEAD/docs/airbyte.md'
  expect(renewedMetadata(metadata, 'https://publisher.test/a/b').split(address)).toHaveLength(2)
  expect(renewedAddress(published, undefined)).toBe(renewedAddress(readme, undefined))
  expect(renewedAddress(readme, undefined)).not.toContain('badge')
})

test('the README says the version as it is', () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }
  expect(readPage('README.md')).toContain(`**Status**: ${version.replace(/\.\d+$/, '')}. `)
})

test('there are scripts among what they name', () => {
  expect(scriptsIn('README.md').length).toBeGreaterThan(1)
  expect(scriptsIn('CONTRIBUTING.md').length).toBeGreaterThan(10)
})

test.each([...PAGES, '.github/workflows/check.yml'])('every script and file that %s names exists', (page) => {
  for (const name of scriptsIn(page)) expect(scripts).toContain(name)
  for (const [, path] of readPage(page).matchAll(/`((?:src|spec|bench)\/[\w./-]+)`/g)) {
    expect(existsSync(new URL(path!, ROOT)) || existsSync(new URL(`${path!}.ts`, ROOT)), path).toBe(true)
  }
})

test('every button that README and docs say to press is on the page of the local service', () => {
  const folder = new URL('src/local-service/page/', ROOT)
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const buttons = sources.flatMap((text) =>
    Array.from(
      text.matchAll(/<button\b[^>]*>\s*([^<]*[^<\s])|\bbutton: '([^']+)'/g),
      ([, made, given]) => made ?? given,
    ),
  )
  const named = PAGES.filter((page) => !/^(?:CHANGELOG|HISTORY)/.test(page)).flatMap((page) =>
    Array.from(readPage(page).matchAll(/\bpress\s+(?:"|\*\*)([^"*]+)(?:"|\*\*)/gi), ([, name]) =>
      name!.replaceAll(/\s+/g, ' '),
    ),
  )
  expect(buttons.length).toBeGreaterThan(30)
  expect(named.length).toBeGreaterThan(1)
  for (const name of named) expect(buttons).toContain(name)
})

function scriptsIn(page: string): string[] {
  return [...readPage(page).matchAll(/npm run (?:-s )?([a-z][a-z0-9:-]+)/g)].map(([, name]) => name!)
}
