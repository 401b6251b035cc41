import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyChoices, keyFields, shown } from './key-fields.ts'
import { renamed } from './reserved.ts'
import type { KeyChoice } from '../config/write/table-options.ts'
import { factsOf } from './testing/facts.ts'

const choice = (path: readonly string[], field?: string): KeyChoice => ({ path, field })
const RESERVED = ['keys', '_airbyte_meta']
const fieldsOf = (
  paths: readonly (readonly string[])[],
  declared: readonly string[] = [],
  reserved: readonly string[] = RESERVED,
): readonly string[] | string => {
  const choices = paths.map((path) => choice(path))
  const { key, problem } = keyFields(choices, declared, reserved)
  return problem ?? key!.map(({ field }) => field)
}

/** Paths as pointers: "/a/b /c". */
const pathsOf = (pointers: string): string[][] => pointers.split(' ').map((pointer) => pointer.split('/').slice(1))

describe('keyChoices', () => {
  const catalog = [['c']]
  const source = [['s']]

  it.each([
    ['the catalog', catalog, source, undefined, [['c']]],
    ['the source, where the catalog has none', [], source, undefined, [['s']]],
    ['nobody', [], [], undefined, []],
    ['the user, before both', catalog, source, [choice(['u', 'v'])], [['u', 'v']]],
  ])('are those of %s', (_who, primaryKey, sourceDefinedPrimaryKey, chosen, paths) => {
    const choices = keyChoices(factsOf({ primaryKey, sourceDefinedPrimaryKey }), chosen)
    expect(choices.map(({ path }) => path)).toEqual(paths)
  })
})

describe('keyFields', () => {
  it.each<[string, string, string[]]>([
    ['a name', '/id', ['id']],
    ['names, in their order', '/b /a', ['b', 'a']],
    ['a nested path', '/a/b/c', ['a_b_c']],
    ['the same path twice, once', '/a /b/c /a /b/c', ['a', 'b_c']],
    ['a reserved name, renamed', '/keys', ['keys_']],
    ['a path from a reserved member', '/keys/id', ['keys_id']],
    ['siblings', '/a/b /a/c', ['a_b', 'a_c']],
    ['an empty name', '/', ['']],
    ['empty names', '//', ['_']],
    ['names of Object.prototype', '/__proto__ /constructor/x', ['__proto__', 'constructor_x']],
    ['names with dots and quotes', '/a.b /c"/d', ['a.b', 'c"_d']],
    ['_airbyte_raw_id, which keyed rows do not need', '/_airbyte_raw_id', ['_airbyte_raw_id']],
  ])('takes %s', (_what, pointers, fields) => {
    expect(fieldsOf(pathsOf(pointers))).toEqual(fields)
  })

  it.each<[string, string, string[], string]>([
    ['an empty path', '/a ', [], 'is empty'],
    ['a declared field of that name', '/a/b', ['a', 'a_b'], 'declares'],
    ['a declared member that is renamed to it', '/keys/', ['keys'], '"keys_"'],
    ['a reserved name', '/_airbyte/meta', [], 'need for themselves'],
    ['two paths of one field', '/a/b_c /a_b/c', [], '"a.b_c" and "a_b.c"'],
    ['a name and a path of one field', '/a_b /a/b', [], '"a_b"'],
    ['a path and a name of one field', '/a/b /a_b', [], '"a_b"'],
    ['a path whose field another starts with', '/a/b /a_b/c', [], '"a_b"'],
    ['a member that would be renamed to another', '/keys /keys_', [], '"keys_"'],
    ['a nested member that would be renamed to another', '/keys/x /keys_/y', [], '"keys_"'],
    ['a value that has members', '/a /a/b', [], 'an object'],
    ['a value that has members, the other way round', '/a/b/c /a/b', [], 'an object'],
  ])('refuses %s', (_what, pointers, declared, words) => {
    const refused = fieldsOf(pathsOf(pointers), declared)
    expect(refused).toBeTypeOf('string')
    expect(refused).toContain(words)
  })

  it('does not mind a declared name that is a key itself', () => {
    expect(fieldsOf([['id'], ['a', 'b']], ['id', 'a', 'b', 'keys'])).toEqual(['id', 'a_b'])
  })

  it('takes another field of the user, and holds it to the same rules', () => {
    const one = (field: string, declared: string[] = []) => keyFields([choice(['a', 'b'], field)], declared, RESERVED)
    expect(one('mine').key).toEqual([{ path: ['a', 'b'], field: 'mine' }])
    for (const refused of [one('x', ['x']), one('keys'), one('a'), one('_airbyte_meta')])
      expect(refused.problem).toBeTypeOf('string')
    const two = [choice(['a', 'b'], 'x'), choice(['a', 'b'], 'y')]
    expect(keyFields(two, [], RESERVED).key).toEqual([{ path: ['a', 'b'], field: 'x' }])
    expect(keyFields([choice(['a', 'b'], 'x'), choice(['c', 'd'], 'x')], [], RESERVED).problem).toContain('"x"')
  })

  it('gives every path a field of its own that nothing else needs, or refuses', () => {
    const name = fc.constantFrom('a', 'b', 'a_b', 'b_', '', '_', 'keys', 'keys_', '_airbyte_meta', '_airbyte', 'meta')
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(paths, fc.uniqueArray(name, { maxLength: 3 }), (given, declared) => {
        const choices = given.map((path) => choice(path))
        const { key: fields } = keyFields(choices, declared, RESERVED)
        if (fields === undefined) return
        const distinct = new Set(given.map((path) => JSON.stringify(path)))
        expect(fields.map(({ path }) => JSON.stringify(path))).toEqual([...distinct])
        const hoisted = fields.filter(({ path }) => path.length > 1).map(({ field }) => field)
        const own = new Set([...declared, ...given.map(([first]) => first!)].map((each) => renamed(each, RESERVED)))
        const all = [...RESERVED, ...hoisted]
        expect(new Set(all).size).toBe(all.length)
        expect(hoisted.filter((field) => own.has(field))).toEqual([])
        expect(new Set(fields.map(({ field }) => field)).size).toBe(fields.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses exactly what no record could meet, of undeclared members', () => {
    const name = fc.constantFrom('a', 'b', 'a_b', 'keys', 'keys_', 'b_keys')
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(paths, (given) => {
        expect(typeof fieldsOf(given, [], ['keys']) === 'string').toBe(!isMeetable(given))
      }),
      { numRuns: 2000 },
    )
  })
})

/** By other means: builds the members a point must have at its top, and looks whether any two are of one name. */
function isMeetable(given: readonly (readonly string[])[]): boolean {
  const paths = [...new Map(given.map((path) => [JSON.stringify(path), path])).values()]
  const roots = [...new Set(paths.map(([root]) => root!))].map((root) => (root === 'keys' ? 'keys_' : root))
  const hoisted = paths.filter((path) => path.length > 1).map((path) => path.join('_'))
  const top = ['keys', ...roots, ...hoisted]
  const inside = paths.some((a) =>
    paths.some((b) => a !== b && JSON.stringify(b).startsWith(JSON.stringify(a).slice(0, -1) + ',')),
  )
  return new Set(top).size === top.length && !inside
}

it('shows a path with dots', () => expect(shown(['a', 'b'])).toBe('"a.b"'))
