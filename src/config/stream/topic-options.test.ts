import { expect, it } from 'vitest'
import { topicName, topicOptions } from './topic-options.ts'

it.each(['a', 'Orders_1.v-2', '...', 'a'.repeat(249)])('takes the name %.20s', (name) => {
  expect(topicName.safeParse(name).success).toBe(true)
})

it.each(['', '.', '..', 'a b', 'ä', 'a/b', 'a\n', 'a'.repeat(250)])('does not take the name %.20j', (name) => {
  expect(topicName.safeParse(name).success).toBe(false)
})

it.each(['(', 'a)(b', '[', 'a**', 'a\\', String.raw`shop\-x`, '(?<a>.)(?<a>.)', '(?i)a'])('no pattern: %s', (text) => {
  const { error } = topicOptions.shape.pattern.safeParse(text)
  expect(error?.issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^is not a regular expression: ./),
  ])
})
