import { expect, test } from 'vitest'
import { nameOf } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import { Members } from './members.ts'

const bytes = Buffer.from(' {"a":1,"t":"x\\n","o":{"t":"in"},"t":"last","z":"s","z":null} ')
const names = ['t', 'a', 'z', 'no', 'o'].map(nameOf)
const members = new Members(new Scanner(1), bytes, 1, bytes.length - 1, names)

test('the last member counts, null and other types are absent', () => {
  expect(members.text(nameOf('t'))).toBe('last')
  expect(members.text(nameOf('a'))).toBeUndefined()
  expect(members.text(nameOf('z'))).toBeUndefined()
  expect(members.text(nameOf('no'))).toBeUndefined()
  expect(members.object(nameOf('o'), names)?.text(nameOf('t'))).toBe('in')
  expect(members.object(nameOf('t'), names)).toBeUndefined()
  expect(['a', 't', 'z', 'no'].map((name) => members.has(nameOf(name)))).toEqual([true, true, false, false])
})

test('gives every range of a name and its own end', () => {
  const ranges = members.ranges(nameOf('t'))
  expect([
    bytes.toString('utf8', ranges[0], ranges[1]),
    bytes.toString('utf8', ranges[2], ranges[3]),
    ranges.length,
  ]).toEqual(['"x\\n"', '"last"', 4])
  expect([members.isEmpty, members.to]).toEqual([false, bytes.length - 1])
  expect(new Members(new Scanner(1), Buffer.from('{ }'), 0, 3, names).isEmpty).toBe(true)
})

test('of very many equal members the first ones and the last are noted', () => {
  const text = Buffer.from(`{${'"a":1,'.repeat(5000)}"a":22}`)
  const { length } = text
  const ranges = new Members(new Scanner(1), text, 0, length, names).ranges(nameOf('a'))
  expect(ranges.length).toBe(2048)
  expect([ranges[0], ranges.at(-2), ranges.at(-1)]).toEqual([5, length - 3, length - 1])
})

test('objects in it, read one after another, do not disturb each other', () => {
  const text = Buffer.from('{"a":{"x":"1","y":{"z":"2"}},"b":{"x":"3"},"c":"4"}')
  const wanted = ['a', 'b', 'c', 'x', 'y', 'z'].map(nameOf)
  const all = new Members(new Scanner(1), text, 0, text.length, wanted)
  const [a, b] = [all.object(nameOf('a'), wanted), all.object(nameOf('b'), wanted)]
  const y = a?.object(nameOf('y'), wanted)
  expect([a?.text(nameOf('x')), b?.text(nameOf('x')), y?.text(nameOf('z')), all.text(nameOf('c'))]).toEqual([
    '1',
    '3',
    '2',
    '4',
  ])
})
