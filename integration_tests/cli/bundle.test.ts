// What `npm run build` makes: what each command loads, that it needs nothing from outside and nothing native, and whose licences
// are beside it.

import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown, type OutputAsset, type OutputChunk } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import config from '../../rolldown.config.ts'

/** Of a command, by its chunk: the packages that are loaded before it begins. */
const LOADED: Readonly<Record<string, readonly string[]>> = {
  'cli.js': [],
  'commands/spec.js': [],
  'commands/print-schema.js': [],
  'commands/check.js': ['undici', 'zod'],
  'commands/write.js': ['stream-chain', 'undici', 'zod'],
  'commands/plan.js': ['zod'],
  'commands/onboard.js': ['undici', 'yaml', 'zod'],
  'commands/stream-command.js': [],
  'commands/stream.js': ['kafkajs', 'undici', 'yaml', 'zod'],
  'commands/stream-check.js': ['kafkajs', 'undici', 'yaml', 'zod'],
  'commands/serve.js': ['zod'],
  'telemetry/report/run-files.js': [],
}

const chunks = new Map<string, OutputChunk>()
const assets = new Map<string, OutputAsset>()

beforeAll(async () => {
  const { output, ...input } = config as { output: object }
  await using bundle = await rolldown({ ...input, cwd: fileURLToPath(new URL('../../', import.meta.url)) })
  for (const file of (await bundle.generate(output)).output) {
    if (file.type === 'chunk') chunks.set(file.fileName, file)
    else assets.set(file.fileName, file)
  }
})

describe('a command loads the packages it uses and no other', () => {
  test.each(Object.entries(LOADED))('%s', (name, packages) => {
    const known = new Set<OutputChunk>()
    for (const it of ['main.js', 'program.js', name]) reachable(it, known)
    const loaded = [...known].flatMap((chunk) => chunk.moduleIds)
    expect(packageNames(loaded)).toEqual(packages)
  })

  test('no command loads how tokens are fetched before a login wants one', () => {
    for (const name of Object.keys(LOADED)) {
      const known = new Set<OutputChunk>()
      for (const it of ['main.js', 'program.js', name]) reachable(it, known)
      const loaded = [...known].flatMap((chunk) => chunk.moduleIds)
      expect(
        loaded.filter((id) => /\/src\/identity\/|fetch-tokens|check-token/.test(id)),
        name,
      ).toEqual([])
    }
    expect(
      [...chunks.values()].flatMap((chunk) => chunk.moduleIds).filter((id) => id.includes('/src/identity/')),
    ).toHaveLength(3)
  })

  test('what is used seldom is in chunks that are loaded then', () => {
    const always = new Set(Object.values(LOADED).flat())
    const others = packageNames([...chunks.values()].flatMap((chunk) => chunk.moduleIds)).filter(
      (it) => !always.has(it),
    )
    expect(others).toEqual([])
  })
})

test('it needs nothing but Node', () => {
  for (const { code, imports, dynamicImports } of chunks.values()) {
    const required = [...code.matchAll(/\b_*require\(([^)]*)\)/g)].map(([, argument]) => argument!)
    for (const argument of required) expect(argument).toMatch(/^"[\w/:]+"$/)
    const names = [...imports, ...dynamicImports, ...required.map((it) => it.replaceAll('"', ''))]
    expect(names.filter((name) => !chunks.has(name) && !isBuiltin(name))).toEqual([])
  }
})

test('nothing of it is native', () => {
  for (const name of [...chunks.keys(), ...assets.keys()])
    expect(name).toMatch(/\.(?:js|html|css|svg)$|^THIRD-PARTY-LICENSES$/)
  for (const { code } of chunks.values()) expect(code).not.toMatch(/\bdlopen\b|\.node["'`]|\bnode-gyp\b|\bprebuild/)
})

test('the licences of every package, as the package has them, are beside it', () => {
  const text = String(assets.get('THIRD-PARTY-LICENSES')!.source)
  const names = packageNames([...chunks.values()].flatMap((chunk) => chunk.moduleIds))
  expect(names.length).toBeGreaterThan(4)
  for (const name of [...names, 'rolldown']) {
    const read = (file: string): string =>
      readFileSync(new URL(`../../node_modules/${name}/${file}`, import.meta.url), 'utf8')
    const { version, license } = JSON.parse(read('package.json')) as Record<string, string>
    expect(text).toContain(`\n${name} ${version} (${license})\n`)
    expect(text).toContain(read('LICENSE').trim())
  }
  // taken over into undici from somebody else
  expect(text).toContain('Ethan Arrowood')
  expect(text.match(/^={80}$/gm)).toHaveLength(names.length + 1)
})

/** Itself and what it imports, but for import(). */
function reachable(name: string, known = new Set<OutputChunk>()): Set<OutputChunk> {
  const chunk = chunks.get(name)
  if (chunk === undefined || known.has(chunk)) return known
  known.add(chunk)
  for (const next of chunk.imports) reachable(next, known)
  return known
}

function packageNames(modules: readonly string[]): string[] {
  const names = modules.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? [])
  return [...new Set(names)].toSorted()
}
