import { expect, test } from 'vitest'
import { ABSENT, countMembers, lastMember, onlyMember, SEVERAL } from './find-member.ts'
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
  ['a', SEVERAL, 3, 2],
  ['b', 2, 2, 1],
  ['', 4, 4, 1],
  ['c', ABSENT, ABSENT, 0],
  ['other', ABSENT, ABSENT, 0],
])('%j among the members of its own object', (text, only, last, count) => {
  const name = nameOf(text)
  const { members } = scanner
  expect([
    onlyMember(bytes, members, 1, 4, name),
    lastMember(bytes, members, 1, 4, name),
    countMembers(bytes, members, 1, 4, name),
  ]).toEqual([only, last, count])
})
