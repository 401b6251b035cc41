import { expect, test } from 'vitest'
import { StreamMemo } from './find-stream.ts'

function memo() {
  const asked: string[] = []
  const streams = new StreamMemo((namespace, name) => {
    asked.push(`${namespace ?? '-'}/${name}`)
    return name.startsWith('no') ? undefined : `${namespace ?? '-'}/${name}`
  })
  const find = (name: string, namespace = ''): string | undefined => {
    const bytes = Buffer.from(`${name}${namespace}`)
    const at = Buffer.byteLength(name)
    return streams.find(bytes, 0, at, at, bytes.length)
  }
  return { asked, find }
}

test('asks once for each spelling of a known stream, always for an unknown one', () => {
  const { asked, find } = memo()
  const names = ['a', 'b', 'a', 'users', 'users', 'b', 'a\\u0062', 'ab', 'no', 'no']
  expect(names.map((name) => find(name))).toEqual([
    '-/a',
    '-/b',
    '-/a',
    '-/users',
    '-/users',
    '-/b',
    '-/ab',
    '-/ab',
    undefined,
    undefined,
  ])
  expect(asked).toEqual(['-/a', '-/b', '-/users', '-/ab', '-/ab', '-/no', '-/no'])
})

test('where the name ends and the namespace begins matters', () => {
  const { find } = memo()
  expect([find('ab', 'c'), find('a', 'bc'), find('abc'), find('ab', 'c')]).toEqual(['c/ab', 'bc/a', '-/abc', 'c/ab'])
})

test('thousands of interleaved streams, beyond what it remembers', () => {
  const { asked, find } = memo()
  const names = Array.from({ length: 10_000 }, (_, i) => `stream_${i}_log`)
  for (let round = 0; round < 2; round++) for (const name of names) expect(find(name)).toBe(`-/${name}`)
  expect(asked.length).toBeGreaterThan(10_000)
  const few = memo()
  for (let round = 0; round < 3; round++) for (const name of names.slice(0, 5000)) few.find(name)
  expect(few.asked).toHaveLength(5000)
})

test('an enormous name is not kept', () => {
  const { asked, find } = memo()
  const name = 'x'.repeat(10_000)
  expect([find(name), find(name)]).toEqual([`-/${name}`, `-/${name}`])
  expect(asked).toHaveLength(2)
})
