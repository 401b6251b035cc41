// Planted faults find their places in the engine as it is, so that a change there says at once which of them it moved.

import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { faults } from './faults.ts'
import { planted } from './plant.ts'

test.each(faults)('$name', ({ edits }) => {
  for (const source of planted(edits).values()) parseAst(source, { lang: 'ts' })
})

test('no two have one name or plant the same', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
  expect(new Set(faults.map(({ edits }) => JSON.stringify([...planted(edits)]))).size).toBe(faults.length)
})

test('a place that is not there, or a text that is there twice, is an error', () => {
  expect(() => planted([['Delivery.#gone', 'x', 'y']])).toThrow(/^Found 0 times, not once/)
  expect(() => planted([['TABLE', 'x', 'y']])).toThrow(/^Found 2 times, not once/)
  expect(() => planted([['Body.add', 'point', 'y']])).toThrow(/^Found \d+ times, not once/)
})
