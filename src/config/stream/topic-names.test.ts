import { expect, it } from 'vitest'

import { isTopicName, patternProblem, wholeNames } from './topic-names.ts'

it.each(['a', 'Orders_1.v-2', '...', 'a'.repeat(249)])('takes the name %.20s', (name) => {
  expect(isTopicName(name)).toBe(true)
})

it.each(['', '.', '..', 'a b', 'ä', 'a/b', 'a\n', 'a'.repeat(250)])('does not take the name %.20j', (name) => {
  expect(isTopicName(name)).toBe(false)
})

it.each(['(', 'a)(b', '[', 'a**', 'a\\', String.raw`shop\-x`, '(?<a>.)(?<a>.)', '(?i)a'])('no pattern: %s', (text) => {
  expect(patternProblem(text)).toMatch(/^is not a regular expression: ./)
})

it.each([
  ['orders|returns', ['orders', 'returns'], ['orders2', 'my-orders', 'orders\n']],
  [String.raw`^shop\..*$`, ['shop.a', 'shop.'], ['shop', 'a.shop.a']],
  ['.*', ['a', '_', '__consumer_offsets_2'], ['__consumer_offsets', '__transaction_state', 'dead.letters']],
  ['dead.letters', ['dead-letters', 'deadxletters'], ['dead.letters']],
  ['(a)(b)?\\1', ['aa', 'aba'], ['ab']],
])('%s matches whole names', (text, names, others) => {
  expect(patternProblem(text)).toBeUndefined()
  const pattern = wholeNames(text, ['dead.letters'])
  for (const name of names) expect(pattern.test(name), name).toBe(true)
  for (const name of others) expect(pattern.test(name), name).toBe(false)
})
