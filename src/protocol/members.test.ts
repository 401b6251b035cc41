import { expect, test } from 'vitest'
import { nameOf } from '../json/name.ts'
import { Scanner } from '../json/scanner.ts'
import { Members } from './members.ts'

const bytes = Buffer.from(' {"a":1,"t":"x\\n","o":{"t":"in"},"t":"last","z":"s","z":null} ')
const members = new Members(new Scanner(1), bytes, 1, bytes.length - 1)

test('the last member counts, null and other types are absent', () => {
  expect(members.text(nameOf('t'))).toBe('last')
  expect(members.text(nameOf('a'))).toBeUndefined()
  expect(members.text(nameOf('z'))).toBeUndefined()
  expect(members.text(nameOf('no'))).toBeUndefined()
  expect(members.object(nameOf('o'))?.text(nameOf('t'))).toBe('in')
  expect(members.object(nameOf('t'))).toBeUndefined()
  expect(['a', 't', 'z', 'no'].map((name) => members.has(nameOf(name)))).toEqual([true, true, false, false])
})

test('gives every range of a name and its own end', () => {
  const ranges = members.ranges(nameOf('t'))
  expect([
    bytes.toString('utf8', ranges[0], ranges[1]),
    bytes.toString('utf8', ranges[2], ranges[3]),
    ranges.length,
  ]).toEqual(['"x\\n"', '"last"', 4])
  expect([members.count, members.to]).toEqual([6, bytes.length - 1])
})

test('objects in it, read one after another, do not disturb each other', () => {
  const text = Buffer.from('{"a":{"x":"1","y":{"z":"2"}},"b":{"x":"3"},"c":"4"}')
  const all = new Members(new Scanner(1), text, 0, text.length)
  const [a, b] = [all.object(nameOf('a')), all.object(nameOf('b'))]
  const y = a?.object(nameOf('y'))
  expect([a?.text(nameOf('x')), b?.text(nameOf('x')), y?.text(nameOf('z')), all.text(nameOf('c'))]).toEqual([
    '1',
    '3',
    '2',
    '4',
  ])
})
