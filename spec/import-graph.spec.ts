// Imports of src go down the floors and never in a circle, types and lazy imports included.

import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCircles, readFloors, readImports } from './import-graph.ts'

const graph = readImports()

test('no file imports itself by way of others', () => {
  expect(findCircles(graph)).toEqual([])
})

test('no import climbs, lazy ones too', () => {
  const isAllowed = readFloors()
  const climbs = [...graph].flatMap(([file, all]) =>
    all.filter((one) => !isAllowed(file, one)).map((one) => [file, one]),
  )
  expect(climbs).toEqual([])
})

test('every kind of import is seen, and what is said of them can fail', () => {
  const lazy = graph.get('src/cli.ts')!
  expect(lazy).toEqual(expect.arrayContaining(['src/commands/write.ts', 'src/commands/stream/stream-command.ts']))
  expect(graph.get('src/core/deliver.ts')).toEqual(expect.arrayContaining(['src/core/types.ts', 'src/core/ledger.ts']))
  expect([...graph.values()].flat().length).toBeGreaterThan(1500)
  const circle = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a']],
    ['d', []],
  ])
  expect(findCircles(circle).map((files) => files.toSorted())).toEqual([['a', 'b', 'c']])
  const isAllowed = readFloors()
  expect(isAllowed('src/core/deliver.ts', 'src/json/scanner.ts')).toBe(false)
  expect(isAllowed('src/run/run-facts.ts', 'src/telemetry/log.ts')).toBe(false)
  expect(isAllowed('src/telemetry/log.ts', 'src/run/run-facts.ts')).toBe(true)
  // a room that has no floor yet
  expect(isAllowed('src/parquet/reader.ts', 'src/core/types.ts')).toBe(false)
})

test('what a file takes from another is one import, where one line of 120 holds it', () => {
  const root = new URL('../', import.meta.url)
  const files = globSync('{src,spec,integration_tests,bench,deploy}/**/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(1000)
  const parted = files.flatMap((file) => {
    const pairs = readFileSync(new URL(file, root), 'utf8').matchAll(
      /^import \{ (.*) \}( from '.*')\n(?:import .*\n)*?import type \{ (.*) \}\2$/gm,
    )
    const joined = [...pairs].map(([, values, from, types]) => {
      return `import { ${values}, ${types!.replaceAll(/[^ ,]+(?=,|$)/g, 'type $&')} }${from}`
    })
    return joined.filter((line) => line.length <= 120).map((line) => `${file}: ${line}`)
  })
  expect(parted).toEqual([])
})
