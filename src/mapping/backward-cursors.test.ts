import { expect, test } from 'vitest'
import { BackwardCursors } from './backward-cursors.ts'

test.each([
  ['2', '1', 1],
  ['1', '2', 0],
  ['1', '1', 0],
  ['9007199254740993', '9007199254740992', 1],
  ['10', '9', 1],
  ['1.5', '1.25', 1],
  ['1e3', '999', 1],
  ['"2026-02-01"', '"2026-01-31"', 1],
  ['"2026-01-31"', '"2026-02-01"', 0],
  ['"\\u0032"', '"1"', 1],
  ['"2"', '1', 0],
  ['2', 'null', 0],
  ['null', '2', 0],
  ['true', 'false', 0],
  ['[2]', '[1]', 0],
])('%s superseded by %s: %i', (old, newer, count) => {
  const cursors = new BackwardCursors()
  const [a, b] = [Buffer.from(`..${old},`), Buffer.from(`...${newer}]`)]
  cursors.superseded(a, 2, 2 + old.length, b, 3, 3 + newer.length)
  expect(cursors.count).toBe(count)
})
