// What is odd in a config of `stream` and works all the same: told as warnings.

import { expect, it } from 'vitest'

import { readConfig, type Changes } from './testing/stream-configs.ts'

const plain = { mechanism: 'plain', username: 'u', password: '${PASSWORD}' }
const letters = { topic: 'letters' }
const twoTopics = (...topics: object[]): Changes => ({
  top: { topics: topics.map((topic) => Object.assign({ keys: ['id'] }, topic)) },
})

const TOO_LONG = (request: number, heartbeat: number, session: number): string =>
  `\`request_timeout_seconds\` (${request}) and two of \`kafka.heartbeat_seconds\` (${heartbeat}) are together longer than \`kafka.session_timeout_seconds\` (${session})`

const ODD: [Changes, string][] = [
  [{ kafka: { sasl: plain, tls: true } }, ''],
  [{ kafka: { sasl: { ...plain, mechanism: 'scram-sha-256' } } }, ''],
  [
    { top: { request_timeout_seconds: 31 } },
    '`request_timeout_seconds` (31) is longer than `kafka.session_timeout_seconds` (30)',
  ],
  [{}, ''],
  [{ top: { request_timeout_seconds: 24 } }, ''],
  [{ top: { request_timeout_seconds: 24.1 } }, TOO_LONG(24.1, 3, 30)],
  [{ top: { request_timeout_seconds: 30 } }, TOO_LONG(30, 3, 30)],
  [{ top: { request_timeout_seconds: 27 }, kafka: { heartbeat_seconds: 1.5 } }, ''],
  [
    { top: { request_timeout_seconds: 60 }, kafka: { session_timeout_seconds: 30 } },
    '`request_timeout_seconds` (60) is longer than `kafka.session_timeout_seconds` (30)',
  ],
  [{ top: { request_timeout_seconds: 60 }, kafka: { session_timeout_seconds: 60 } }, TOO_LONG(60, 3, 60)],
  [
    {
      top: { request_timeout_seconds: 60 },
      kafka: { session_timeout_seconds: 70, rebalance_timeout_seconds: 70 },
    },
    '',
  ],
  [{ kafka: { session_timeout_seconds: 26 } }, ''],
  [{ kafka: { session_timeout_seconds: 25 } }, TOO_LONG(20, 3, 25)],
  [{ kafka: { session_timeout_seconds: 10 } }, '`request_timeout_seconds` (20) is longer'],
  [
    { top: { stall_deadline_seconds: 899 } },
    '`stall_deadline_seconds` (899) is shorter than `retry_for_seconds` (900)',
  ],
  [
    { top: { table_prefix: 'shop_ ' } },
    '`table_prefix` makes names of tables such as "shop__orders", for white space becomes _: remove the space',
  ],
  [{ topic: { unavailable: 'fail' } }, '`topics[0].unavailable` has no effect with the format json'],
  [
    { topic: { unavailable_placeholder: 'x' } },
    '`topics[0].unavailable_placeholder` has no effect with the format json',
  ],
  [{ topic: { unavailable: null } }, '`topics[0].unavailable` has no effect with the format json'],
  [{ topic: { format: 'airbyte', truncate: 'ignore' } }, '`topics[0].truncate` has no effect with the format airbyte'],
  [{ topic: { stream: 'a' } }, '`topics[0].stream` has no effect with the format json: it is about airbyte'],
  [{ topic: { format: 'airbyte', namespace: 'n' } }, '`topics[0].namespace` has no effect without a `stream`'],
  [{ topic: { format: 'airbyte', stream: 'a', namespace: '' } }, ''],
  [{ topic: { keys: { offset: true }, null_keys: 'stop' } }, '`topics[0].null_keys` has no effect with offsets'],
  [{ topic: { keys: { offset: true }, keep_last: false } }, '`topics[0].keep_last` has no effect with offsets'],
  [{ topic: { keys: { key: true, epoch: 1 } } }, '`topics[0].keys.epoch` has no effect'],
  [{ topic: { format: 'debezium', tombstones: 'mark', truncate: 'ignore' } }, ''],
  [
    { topic: { format: 'debezium', tombstones: 'ignore' } },
    '`topics[0].tombstones` leaves rows as they were whose delete comes as a tombstone alone',
  ],
  [
    { top: { topics: [{ pattern: '.*', keys: ['id'] }], dead_letters: letters } },
    '`topics[0].pattern` matches the topic of `dead_letters`, which is left out of it',
  ],
  [{ top: { topics: [{ pattern: 'letters.+', keys: ['id'] }], dead_letters: letters } }, ''],
  [
    {
      top: { dead_letters: letters },
      topic: { keys: { key: true }, null_keys: 'dead-letter', tombstones: 'dead-letter' },
    },
    '',
  ],
  [{ top: { max_rejected: 5 } }, '`max_rejected` has no effect: rejected records are not kept'],
  [{ top: { max_rejected_share: 0.5 } }, '`max_rejected_share` has no effect'],
  [{ topic: { max_rejected: 0 } }, '`topics[0].max_rejected` has no effect'],
  [{ top: { dead_letters: letters, max_rejected: 5 }, topic: { max_rejected_share: 1 } }, ''],
  [{ topic: { null_keys: 'offset' } }, '`topics[0].null_keys` has no effect with fields of the value as `keys`'],
  [{ topic: { keys: { value: ['id'], epoch: 1 } } }, '`topics[0].keys.epoch` has no effect'],
  [twoTopics({ topic: 'a', table: 't', shared_table: true }, { topic: 'b', table: 'T', shared_table: true }), ''],
]

it.each(ODD)('%j is odd', async (changes, warning) => {
  const { config, warnings } = await readConfig(changes)
  expect(config).toBeDefined()
  expect(warnings).toEqual(warning === '' ? [] : [expect.stringContaining(warning)])
})
