// Sets of .proto files that protoc took, and what Google's library read of values (recorded by make-protobuf-sets.ts): names that
// would mean something else to a file that saw all others, imports of every kind, and all that a .proto text may hold.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { differencesOf, readProtobufSets } from '../integration_tests/registry/protobuf-sets.ts'

const sets = readProtobufSets(readFileSync(new URL('protobuf/sets.jsonl', import.meta.url), 'utf8'))

it.each(sets.map((set, at) => [at, set.root, set] as const))('set %i (%s) is read as protoc reads it', (_, __, set) => {
  expect(set.values.length).toBeGreaterThan(0)
  expect(differencesOf(set)).toEqual([])
})
