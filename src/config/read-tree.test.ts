import { expect, it } from 'vitest'
import { z } from 'zod'

import { Findings, pathText } from './findings.ts'
import { readTree } from './read-tree.ts'

const schema = z.strictObject({
  name: z.string().min(1),
  port: z.int().max(9).default(5),
  group: z.strictObject({ on: z.boolean().default(true), must: z.string() }),
  maybe: z.strictObject({ must: z.string() }).optional(),
  list: z.array(z.strictObject({ a: z.enum(['x', 'y']) })).min(1),
})

const read = (given: unknown): { value: unknown; problems: string[] } => {
  const findings = new Findings()
  const value = readTree(given, schema, findings)
  return { value, problems: findings.problems.map(([path, problem]) => `${pathText(path)}: ${problem}`) }
}

it('gives what is right, defaults too', () => {
  const given = { name: 'n', group: { must: 'm' }, list: [{ a: 'x' }] }
  expect(read(given)).toEqual({
    value: { name: 'n', port: 5, group: { on: true, must: 'm' }, maybe: undefined, list: [{ a: 'x' }] },
    problems: [],
  })
})

it('takes null for absent and texts for numbers, where those are wanted', () => {
  const given = { name: '7', port: '7', group: { must: '1', on: 'false' }, maybe: null, list: [{ a: 'x' }] }
  expect(read(given)).toMatchObject({ value: { name: '7', port: 7, group: { on: false, must: '1' } }, problems: [] })
  expect(read({ ...given, port: null }).value).toMatchObject({ port: 5 })
})

it('gives the rest, and tells everything that is wrong', () => {
  const given = { name: '', prt: 1, port: 10, group: { on: 5 }, maybe: {}, list: [{ a: 'z' }, 'x', null, { a: 'y' }] }
  const { value, problems } = read(given)
  expect(value).toEqual({
    name: undefined,
    port: undefined,
    group: { on: undefined, must: undefined },
    maybe: { must: undefined },
    list: [{ a: undefined }, undefined, { a: undefined }, { a: 'y' }],
  })
  expect(problems.toSorted()).toEqual([
    'group.must: is required',
    'group.on: must be true or false, found a number',
    'list[0].a: must be "x" or "y", found "z": did you mean "x"?',
    'list[1]: must be a group of options, found a string: write { a: x }',
    'list[2].a: is required',
    'maybe.must: is required',
    'name: is empty',
    'port: must be at most 9, found 10',
    'prt: is unknown; did you mean `port`?',
  ])
})

it.each([
  [undefined, ['name: is required', 'group.must: is required', 'list: is required']],
  ['text', [': must be a group of options, found a string']],
  [[], [': must be a group of options, found an array']],
  [{ name: 'n', group: [], list: [] }, ['group: must be a group of options, found an array', 'list: is empty']],
  [{ name: 'n', group: { must: 'm' }, list: {} }, ['list: must be an array, found an object: write [ { a: x } ]']],
])('whatever it is: %j', (given, problems) => expect(read(given).problems).toEqual(problems))

it('shows no value that YAML takes for a part of a name', () => {
  const given = {
    name: 'n',
    'port:canary': null,
    'prt=canary': null,
    'other canary': 1,
    group: { must: 'm' },
    list: [{ a: 'x' }],
  }
  expect(read(given).problems).toEqual([
    'port: must be followed by a colon and a space, and then its value',
    'prt: is unknown; did you mean `port`?',
    'other: is unknown',
  ])
})

it('knows no member of the prototype', () => {
  expect(read(JSON.parse('{"name":"n","__proto__":{"x":1},"list":[{"a":"x"}],"constructor":1}')).problems).toEqual([
    '__proto__: is unknown',
    'constructor: is unknown',
    'group.must: is required',
  ])
})
