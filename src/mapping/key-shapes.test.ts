import { expect, it } from 'vitest'
import { KeyShapes, prefixed } from './key-shapes.ts'

it('keeps keys of different fields apart', () => {
  const shapes = new KeyShapes()
  expect(shapes.prefix(['a', 'b'])).toBe('')
  expect(shapes.prefix(['b', 'a'])).toBe('')
  expect(shapes.prefix(['a'])).toBe('["a"]')
  expect(shapes.prefix(['a', 'b'])).toBe('')
  expect(shapes.prefix(['a,b'])).not.toBe(shapes.prefix(['b,a']))
})

it('puts a prefix in front of both levels', () => {
  expect(prefixed(5, '')).toBe(5)
  expect(prefixed(undefined, '["a"]')).toBe(undefined)
  expect(prefixed(5, '["a"]')).toBe('["a"]5')
  expect(prefixed({ exact: '#1.0', fence: 1 }, '["a"]')).toEqual({ exact: '["a"]#1.0', fence: '["a"]1' })
})
