// Each promise has its script, which is played at the doors that the table of docs/guarantees.md names.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DOORS, PROMISES, type Promised } from '../integration_tests/promises/promises.ts'
import { keeperOf } from './guarantees.ts'

const TESTS = new URL('../integration_tests/', import.meta.url)
const scripts = readdirSync(new URL('promises/', TESTS)).filter((name) => name.endsWith('.test.ts'))

test.each(Object.entries<Promised>(PROMISES))('%s', (name, promised) => {
  const keepers = DOORS.map((door) => keeperOf(name, promised, door))
  const tests = new Set(keepers.flatMap((keeper) => ('test' in keeper ? keeper.test : [])))
  for (const path of tests) expect(existsSync(new URL(path, TESTS)), path).toBe(true)
  for (const keeper of keepers) if ('none' in keeper) expect(keeper.none.length).toBeGreaterThan(20)
  // a script of its own is played where nothing else is named
  const own = `promises/${name}.test.ts`
  expect(scripts.includes(`${name}.test.ts`)).toBe(tests.has(own))
  if (tests.has(own)) expect(readFileSync(new URL(own, TESTS), 'utf8')).toContain(`promise('${name}', (door) => {`)
})

test('each script is that of a promise', () => {
  expect(scripts.filter((script) => !Object.hasOwn(PROMISES, script.replace('.test.ts', '')))).toEqual([])
})
