// What a message says to write can be written in the place it is about, and is the user's own where it may be shown.

import { expect, it } from 'vitest'
import { Findings, type Path } from './findings.ts'
import { readTree } from './read-tree.ts'
import type { TreeOrigin } from './unknown-options.ts'
import { streamFileOptions } from './stream/stream-options.ts'
import { writeFileOptions } from './older-names.ts'
import { parseYaml } from './yaml-text.ts'

const FORM = { form: { decisive: new Set<string>() } }

/** The problems at a place and below it, of a file that has only that. */
function problemsAt(origin: TreeOrigin, path: Path, value: unknown): string[] {
  const given = path.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value)
  const findings = new Findings()
  readTree(given, origin === 'file' ? streamFileOptions : writeFileOptions, findings, origin)
  return findings.problems.flatMap(([at, problem]) => (path.every((step, index) => at[index] === step) ? problem : []))
}

/** What a problem says to write. */
function toWrite(origin: TreeOrigin, path: Path, given: unknown): string {
  const problems = problemsAt(origin, path, given)
  expect(problems).toEqual([expect.stringMatching(/^must be an? .*, found (?:an? |true|null|")[^:]*: write /)])
  return problems[0]!.split(': write ')[1]!
}

const ROUTE: Path = ['topics', 0, 'route']
const KEY = 'canary7Zq9Kp3Wv5xT'

it.each<[TreeOrigin, Path]>([
  ['file', ['health']],
  ['file', ['dead_letters']],
  ['file', ['topics']],
  ['file', ['topics', 0]],
  ['file', ROUTE],
  ['file', [...ROUTE, 'by']],
  ['file', [...ROUTE, 'tables', 'order']],
  ['file', ['schema_registry']],
  [FORM, ['streams']],
  [FORM, ['streams', 0]],
  [FORM, ['rejected_records']],
  [FORM, ['sandbox']],
])('%#: takes its own example at %j', (origin, path) => {
  for (const given of [7, KEY, true, 'orders']) {
    const text = toWrite(origin, path, given)
    expect(text).not.toContain(KEY)
    const { value, problems } = parseYaml(text)
    expect(problems).toEqual([])
    if (origin !== 'file') expect(JSON.parse(text)).toEqual(value)
    expect(problemsAt(origin, path, value)).toEqual([])
  }
})

it.each<[TreeOrigin, Path, unknown, string]>([
  ['file', ['dead_letters'], 'dlq', '{ topic: dlq }'],
  ['file', ['health'], 9000, '{ port: 9000 }'],
  ['file', ['topics'], 'visits', '[ { topic: visits, keys: [ id ] } ]'],
  ['file', [...ROUTE, 'by'], 'kind', '{ field: kind }'],
  ['file', [...ROUTE, 'tables', 'order'], 'sales', '{ table: sales }'],
  ['file', ['metadata_columns'], '_run_id', '[ _run_id ]'],
  [FORM, ['streams'], { visits: { keys: ['no'] } }, '[ { "name": "visits", "keys": [ "no" ] } ]'],
  [FORM, ['streams'], { name: 'visits' }, '[ { "name": "visits" } ]'],
  [FORM, ['streams'], { visits: 'all' }, '[ { "name": "visits" } ]'],
  [FORM, ['streams', 0], 'visits', '{ "name": "visits" }'],
  [FORM, ['rejected_records'], 'table', '{ "policy": "table" }'],
])('%#: at %j it says how %j is written', (origin, path, given, text) => {
  expect(toWrite(origin, path, given)).toBe(text)
})

it('names no column that is not meant', () => {
  for (const [given, found] of [
    ['x', '"x"'],
    [KEY, 'another string'],
    [7, 'a number'],
  ] as const)
    expect(problemsAt(FORM, ['metadata_columns'], given)).toEqual([
      expect.stringMatching(new RegExp(`"_loaded_at" or "_run_id", found ${found}: write some of these in \\[ \\]$`)),
    ])
})

it('shows nothing where an option beside it is a secret', () => {
  expect(toWrite('file', ['schema_registry'], 'https://a')).not.toContain('https://a')
})

it('shows a word where one of some is wanted, and no other text', () => {
  const at = (text: string): string[] => problemsAt(FORM, ['table_names'], text)
  expect(at('skip')).toEqual([expect.stringContaining('must be "refuse" or "hashed", found "skip"')])
  expect(at('Hunter2')).toEqual([expect.stringContaining('must be "refuse" or "hashed", found another string')])
})
