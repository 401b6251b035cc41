// Every place that names the version names the one of package.json (docs/releasing.md).

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { name, version } = JSON.parse(read('package.json')) as Record<string, string>

test('the changelog begins with it', () => {
  const [heading] = /^## .*$/m.exec(read('CHANGELOG.md'))!
  expect(heading).toMatch(
    new RegExp(`^## ${version!.replaceAll('.', String.raw`\.`)} \\((?:unreleased|\\d{4}-\\d\\d-\\d\\d)\\)$`),
  )
})

test('the lockfile, the labels of the image and what a registry reads are of it', () => {
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string
    packages: Record<string, { version: string }>
  }
  expect([lock.version, lock.packages['']!.version]).toEqual([version, version])
  const labels = [...read('Dockerfile').matchAll(/(?:image|airbyte)\.version="(.*)"/g)].map(([, it]) => it)
  expect(labels).toEqual([version, version])
  expect(read('metadata.yaml')).toContain(`\n  dockerImageTag: ${version}\n`)
})

test.each(['docs/airbyte.md', 'docs/pyairbyte.md', 'deploy/compose.yaml', 'deploy/kubernetes/base/deployment.yaml'])(
  'the images of %s are of it',
  (file) => {
    const tags = [...read(file).matchAll(new RegExp(`${name}:([\\d.]+\\d)`, 'g'))].map(([, it]) => it)
    expect(new Set(tags)).toEqual(new Set([version]))
  },
)
