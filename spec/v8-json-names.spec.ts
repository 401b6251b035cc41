// The program that shows V8's fault can be run, and shows what its README says; or, once V8 is mended, what is right.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const file = (name: string): URL => new URL(`v8-json-names/${name}`, import.meta.url)

it('reads names as the README says, or right', () => {
  const [first, ...read] = execFileSync(process.execPath, [fileURLToPath(file('misread.mjs'))], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
  expect(first).toBe(`Node ${process.versions.node}, V8 ${process.versions.v8}`)
  const [right, ...wrong] = readFileSync(file('README.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => Array.from(line.matchAll(/`([^`]*)`/g), ([, json]) => json))
  const written = right!.map((json) => `${json} is read as`)
  expect(right).toHaveLength(2)
  expect([right, ...wrong]).toContainEqual(read.map((line, index) => line.slice(written[index]!.length + 1)))
  expect(read.map((line, index) => line.startsWith(written[index]!))).toEqual([true, true])
})

/** Every file that asks JSON.parse, itself or by `parseObject`, by why that is safe. */
const ASKING = {
  'the names are ours': [
    'commands/demo.ts',
    'commands/spec.ts',
    'kafka/dead-letters/dead-letter.ts',
    'kafka/source/replay-file.ts',
    'local-service/onboarding/records.ts',
    'local-service/page/faults.js',
    'onboarding/journal.ts',
    'secrets/scrubber.ts',
    'version.ts',
  ],
  'the names are those of options, answers and schemas': [
    'config/json-text.ts',
    'identity/token-claims.ts',
    'identity/token-source.ts',
    'json/is-object.ts',
    'kafka/values/connect-decimal.ts',
    'local-service/under-fault.ts',
    'local-service/mask-body.ts',
    'registry/avro/avro-schema.ts',
    'registry/json-schema-decoder.ts',
    'registry/protobuf/protobuf-descriptor.ts',
    'registry/read-response.ts',
    'service/http/answer.ts',
    'service/onboarding/onboarding-answers.ts',
  ],
  'it is a single text': ['config/secrets.ts', 'local-service/page/rows.js', 'local-service/sqlite/sqlite-tables.ts'],
  'nobody looks at what comes out': ['airbyte/bad-line.ts', 'local-service/page/value.js'],
  'it is a list of texts': ['local-service/page/fields.js'],
  'it is checked': ['json/true-names.ts'],
}

it('knows who asks JSON.parse, so that nobody reads names of the users with it', () => {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const asking = globSync('**/*.{ts,js}', { cwd: root })
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .filter((path) =>
      /^(?!\s*(?:\/\/|\/?\*)).*\b(?:JSON\.parse|parseObject)\(/m.test(readFileSync(`${root}${path}`, 'utf8')),
    )
  expect(asking.toSorted()).toEqual(Object.values(ASKING).flat().toSorted())
})
