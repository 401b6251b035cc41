// The codes in docs/troubleshooting.md, their links, and the promise that no code or event goes away. That each is provoked: codes-provoked.spec.ts.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CODES, EVENTS } from '../src/core/codes.ts'
import { readAreas } from './broken-setups/read-cases.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const names = [...Object.keys(CODES), ...Object.keys(EVENTS)]

test('all that were ever given are there, and new ones are noted: else run `npm run generate`', () => {
  expect(read('./golden/codes.txt').trimEnd().split('\n').toSorted()).toEqual(names.toSorted())
})

test('are an area and a few words, each once', () => {
  expect(names.filter((name) => !/^[a-z]+(?:-[a-z]+)?\.[a-z]+(?:-[a-z]+){0,3}$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('each code has its paragraph in docs/troubleshooting.md, once', () => {
  const given = [...read('../docs/troubleshooting.md').matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!)
  expect(given.toSorted()).toEqual(Object.keys(CODES).toSorted())
})

test('what `explain` prints has every row of the page that is of a code', () => {
  const all = JSON.parse(read('./codes.json')) as Record<
    string,
    { means: string; rows: { why: string; todo: string }[] }
  >
  expect(Object.keys(all)).toEqual(Object.keys(CODES))
  for (const [code, { rows }] of Object.entries(all)) {
    expect(rows.length, code).toBeGreaterThan(0)
    for (const { why, todo } of rows)
      for (const cell of [why, todo]) expect(cell).toMatch(/^(?!.*(?:<a id|\]\()).{3,}$/)
  }
  const quoted = readAreas().flatMap(({ cases }) =>
    cases.flatMap(({ says }) => (says.code === undefined ? [] : [says])),
  )
  for (const { quoted: message, code } of quoted)
    expect(all[code!]!.rows, `${code}: ${message}`).toContainEqual(expect.objectContaining({ message }))
})
