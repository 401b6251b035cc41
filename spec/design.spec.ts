// docs/DESIGN.md names files that are there.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { linesByRoom } from './rooms.ts'

const ROOT = new URL('../', import.meta.url)
const design = readFileSync(new URL('docs/DESIGN.md', ROOT), 'utf8')

/** `core/deliver.ts`, `kafka/log/`, `CHANGELOG.md`: what ends as a file or a folder does. */
const PATH = /`((?:[\w.-]+\/)+|(?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|mjs|json|md|yaml))`/g

function exists(path: string): boolean {
  return existsSync(new URL(path, ROOT)) || existsSync(new URL(`src/${path}`, ROOT))
}

test('every file and folder it names exists', () => {
  const named = [...design.matchAll(PATH)].map(([, path]) => path!)
  expect(new Set(named).size).toBeGreaterThan(100)
  expect(named.filter((path) => !exists(path))).toEqual([])
})

test('every room has its row', () => {
  const rooms = readdirSync(new URL('src/', ROOT), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const rows = design.match(/^\| .*$/gm)!
  const missing = rooms.filter(({ name }) => !rows.some((row) => row.includes(`\`${name}/\``)))
  expect(missing.map(({ name }) => name)).toEqual([])
})

test('"Why so large" has every room once', () => {
  const table = design.split('\n## Why so large\n')[1]!.split('\n##')[0]!
  const rows = Array.from(table.matchAll(/^\| `([^`]+)` \| ([\d,]+) \|/gm), ([, room, lines]) => ({ room, lines }))
  expect(new Set(rows.map(({ room }) => room))).toEqual(new Set(linesByRoom().keys()))
})
