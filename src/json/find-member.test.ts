import { expect, test } from 'vitest'
import { ABSENT, lastMember } from './find-member.ts'
import { nameOf } from './name.ts'
import { Scanner } from './scanner.ts'

const bytes = Buffer.from('{"other":0} {"a":1,"b":2,"\\u0061":3,"":4}')
const scanner = new Scanner(1)
scanner.start(bytes, 0, 11)
scanner.table()
scanner.start(bytes, 12, bytes.length)
scanner.count = 1
scanner.table()

test.each([
  ['a', 3],
  ['b', 2],
  ['', 4],
  ['c', ABSENT],
  ['other', ABSENT],
])('%j among the members of its own object', (text, last) => {
  expect(lastMember(bytes, scanner.members, 1, 4, nameOf(text))).toBe(last)
})
