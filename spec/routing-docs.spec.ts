// docs/routing.md says what the code does: its records, under its config, become what it shows.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readStreamConfig } from '../src/config/stream/stream-load.ts'
import { TopicMapper } from '../src/kafka/topics/topic-mapper.ts'
import { topicShared } from '../src/kafka/topics/topic-tables.ts'
import { emptySlot } from '../src/mapping/stream-mapping.ts'
import { pointIn } from '../src/mapping/testing/topic-rows.ts'

const page = readFileSync(new URL('../docs/routing.md', import.meta.url), 'utf8')
const block = (kind: string): string => new RegExp(`\`\`\`${kind}\n([^]*?)\`\`\``).exec(page)![1]!
const lines = (kind: string): string[] => block(kind).trimEnd().split('\n')

test('its example', async () => {
  const env = { ANALYTICS_API_KEY: 'import-key' }
  const { config, problems, warnings } = await readStreamConfig(block('yaml'), { env, folder: '/etc' })
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  const shared = topicShared(config!.tablePrefix)
  const mapper = new TopicMapper<bigint>('shop.events', config!.topics[0]!, shared)
  const made = lines('json').map((line) => {
    const record = { offset: 0n, timestamp: 0n, key: null, value: Buffer.from(line), headers: [] }
    const item = mapper.map(record, { name: 'shop.events' }, 0, 0n, 0, emptySlot(0n))!
    if (item.kind === 'rejected') return `dead letter: ${item.reason}`
    return `${item.table.name}: ${pointIn(item).point}`
  })
  expect(made).toEqual(lines('text'))
})
