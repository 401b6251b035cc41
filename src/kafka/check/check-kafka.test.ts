import { expect, it } from 'vitest'
import { hasCommitted } from './check-kafka.ts'
import type { AskedTopics } from './check-topics.ts'
import { topicConfig } from '../source/testing/topics.ts'

const topics = ['orders', 'refunds'].map((name) => ({ name, entry: topicConfig(), mapper: undefined }))
const partition = { partition: 0, range: { low: 0n, high: 5n }, topicId: undefined }
const answers = {
  none: [{ ...partition, committed: undefined, found: { from: 'start', offset: 0n } }],
  committed: [{ ...partition, committed: 2n, found: { from: 'committed', offset: 2n } }],
  refused: { code: 'topic.refused', text: 'No.' },
  late: undefined,
} as const

it.each([
  ['late', 'late', undefined],
  ['refused', 'refused', undefined],
  ['none', 'late', undefined],
  ['none', 'refused', undefined],
  ['committed', 'refused', true],
  ['none', 'none', false],
  ['none', 'committed', true],
] as const)('judges by the answers of topics whether a group committed: %s, %s', (orders, refunds, known) => {
  const all = [['orders', answers[orders]] as const, ['refunds', answers[refunds]] as const]
  const asked: AskedTopics = new Map(all.flatMap(([name, answer]) => (answer ? [[name, answer] as const] : [])))
  expect(hasCommitted(topics, asked)).toBe(known)
})
