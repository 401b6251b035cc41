import { describe, expect, it, test } from 'vitest'
import { readWriteConfig } from './write-load.ts'
import { streamEntry, LEAST } from './testing/tables.ts'

const read = (more: object): ReturnType<typeof readWriteConfig> =>
  readWriteConfig(JSON.stringify({ ...LEAST, ...more }))
const DEFAULTS = { policy: 'stop', logKeys: false }

test('nobody needs to touch them', () => {
  const { config, rejects, warnings } = read({})
  expect(config?.rejects).toEqual(DEFAULTS)
  expect(rejects).toEqual(DEFAULTS)
  expect(config?.tables.rejectedTable).toBeUndefined()
  expect(warnings).toEqual([])
})

test.each<[object, object, string | undefined]>([
  [{ on_rejected: 'divert' }, { policy: 'table', table: 'rejected_records' }, 'rejected_records'],
  [{ on_rejected: 'divert', rejected_table: 'bad_1' }, { policy: 'table', table: 'bad_1' }, 'bad_1'],
  [{ on_rejected: 'divert', rejected_file: 'a b.jsonl' }, { policy: 'file', path: 'a b.jsonl' }, undefined],
  [
    { on_rejected: 'divert', rejected_file: '', rejected_table: null },
    { policy: 'table', table: 'rejected_records' },
    'rejected_records',
  ],
  [{ log_keys: true }, { logKeys: true }, undefined],
  [{ rejected_records: { policy: 'stop' } }, {}, undefined],
  [{ rejected_records: null }, {}, undefined],
  [
    { rejected_records: { policy: 'table' }, log_keys: true },
    { policy: 'table', table: 'rejected_records', logKeys: true },
    'rejected_records',
  ],
  [
    { rejected_records: { policy: 'table', table: '' } },
    { policy: 'table', table: 'rejected_records' },
    'rejected_records',
  ],
  [{ rejected_records: { policy: 'table', table: 'bad_1' } }, { policy: 'table', table: 'bad_1' }, 'bad_1'],
  [{ rejected_records: { policy: 'file', path: 'a b.jsonl' } }, { policy: 'file', path: 'a b.jsonl' }, undefined],
  // older names that a form left empty
  [
    { rejected_records: { policy: 'file', path: 'a' }, on_rejected: null, rejected_file: '' },
    { policy: 'file', path: 'a' },
    undefined,
  ],
  // as a form sends what nobody touched
  [{ on_rejected: 'fail', rejected_table: 'rejected_records', rejected_file: '', log_keys: false }, {}, undefined],
])('%j', (more, expected, table) => {
  const { config, problems, warnings } = read(more)
  expect(problems).toEqual([])
  expect(warnings).toEqual([])
  expect(config?.rejects).toEqual({ ...DEFAULTS, ...expected })
  expect(config?.tables.rejectedTable).toBe(table)
})

test.each<[object, string]>([
  [{ on_rejected: 'canary7Zq9Kp3Wv5xT' }, '`on_rejected` must be "fail" or "divert"'],
  [{ on_rejected: true }, '`on_rejected` must be "fail" or "divert"'],
  [{ rejected_table: 'canary!' }, '`rejected_table` may hold letters (A–Z, a–z), digits and _ only'],
  [{ rejected_table: 'canary\n' }, '`rejected_table` may hold'],
  [{ rejected_table: 5 }, '`rejected_table` must be a string, found a number'],
  [{ rejected_file: ['canary7Zq9Kp3Wv5xT'] }, '`rejected_file` must be a string, found an array'],
  [{ log_keys: 'true' }, '`log_keys` must be true or false, found a string'],
])('%j: %s', (more, words) => {
  const { config, rejects, problems } = read({ on_rejected: 'divert', ...more })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(words)
  expect(problems[0]).not.toContain('canary')
  expect([config, rejects]).toEqual([undefined, undefined])
})

test.each<[unknown, string]>([
  ['canary7Zq9Kp3Wv5xT', '`rejected_records` must be a group of options, found a string: write { "policy": "stop" }'],
  ['table', '`rejected_records` must be a group of options, found a string: write { "policy": "table" }'],
  [[], '`rejected_records` must be a group of options, found an array: write { "policy": "stop" }'],
  [{}, '`rejected_records.policy` is required'],
  [{ policy: null }, '`rejected_records.policy` is required'],
  [
    { policy: 'canary7Zq9Kp3Wv5xT' },
    '`rejected_records.policy` must be one of "stop", "table", "file", found another string. stop: Deliver what came before',
  ],
  [
    { policy: ['canary7Zq9Kp3Wv5xT'] },
    '`rejected_records.policy` must be one of "stop", "table", "file", found an array',
  ],
  [{ policy: 'table', table: 'canary!' }, '`rejected_records.table` may hold letters (A–Z, a–z), digits and _ only'],
  [{ policy: 'file' }, '`rejected_records.path` is required'],
  [{ policy: 'file', path: '' }, '`rejected_records.path` is empty'],
  [{ policy: 'file', path: 7 }, '`rejected_records.path` must be a string, found a number'],
])('rejected_records %j: %s', (rejected, problem) => {
  const { config, rejects, tables, problems } = read({ rejected_records: rejected })
  expect(problems).toEqual([expect.stringContaining(problem)])
  expect(problems[0]).not.toContain('canary')
  expect([config, rejects, tables]).toEqual([undefined, undefined, undefined])
})

test('a member that a policy does not know is a warning', () => {
  const { config, warnings } = read({ rejected_records: { policy: 'stop', pth: 'canary7Zq9Kp3Wv5xT' } })
  expect(warnings).toEqual(['unknown option `rejected_records.pth` ignored'])
  expect(config?.rejects).toEqual(DEFAULTS)
})

test.each<[object, string]>([
  [{ on_rejected: 'fail' }, '`on_rejected`'],
  [{ rejected_table: 'canary7Zq9Kp3Wv5xT' }, '`rejected_table`'],
  [{ rejected_file: 'canary7Zq9Kp3Wv5xT', on_rejected: 'divert' }, '`on_rejected` and `rejected_file`'],
  [{ on_rejected: 5 }, '`on_rejected`'],
])('the new name and an older one cannot be combined: %j', (older, names) => {
  const { config, problems } = read({ rejected_records: { policy: 'table' }, ...older })
  expect(problems).toContain(
    `\`rejected_records\` cannot be combined with ${names} (older names for the same): keep only \`rejected_records\``,
  )
  expect(problems.join()).not.toContain('canary')
  expect(config).toBeUndefined()
})

describe('a choice without effect', () => {
  it.each<[object, string[]]>([
    [{ rejected_table: 'canary7Zq9Kp3Wv5xT' }, ['`rejected_table` has no effect while `on_rejected` is fail']],
    [
      { rejected_file: 'canary7Zq9Kp3Wv5xT', on_rejected: 'fail' },
      ['`rejected_file` has no effect while `on_rejected` is fail'],
    ],
    [
      { rejected_file: 'canary7Zq9Kp3Wv5xT', rejected_table: 'canary7Zq9Kp3Wv5xT' },
      [
        '`rejected_table` has no effect while `on_rejected` is fail',
        '`rejected_file` has no effect while `on_rejected` is fail',
      ],
    ],
    [
      { rejected_file: 'canary7Zq9Kp3Wv5xT', rejected_table: 'canary7Zq9Kp3Wv5xT', on_rejected: 'divert' },
      ['`rejected_table` has no effect, as `rejected_file` is given: rejected records go to the file'],
    ],
  ])('%j is told', (more, expected) => {
    const { config, warnings } = read(more)
    expect(warnings).toEqual(expected)
    expect(config?.tables.rejectedTable).toBeUndefined()
  })
})

describe('the table of rejected records', () => {
  it.each([
    ['bad', 'bad'],
    ['bad', 'BAD'],
    ['Rejected_Records', 'rejected_records'],
  ])('%s cannot be a stream’s, not as %s either', (rejected, table) => {
    const { problems, config } = read({ on_rejected: 'divert', rejected_table: rejected, ...streamEntry({ table }) })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^`streams\[0\]\.table` is .*rejected records/)
    expect(config).toBeUndefined()
  })

  it('is looked for in every entry, and told with whatever else is wrong', () => {
    const streams = [{ name: 'a' }, { name: 'b', table: 'x' }, { name: 'c', table: 'bad' }]
    const { problems } = read({ on_rejected: 'divert', rejected_table: 'bad', streams, max_points: 0 })
    expect(problems).toHaveLength(2)
    expect(problems[0]).toMatch(/^`streams\[2\]\.table` .*`rejected_table`/)
  })

  it('is looked for under its new name too', () => {
    const { problems } = read({ rejected_records: { policy: 'table', table: 'bad' }, ...streamEntry({ table: 'BAD' }) })
    expect(problems).toEqual([
      expect.stringMatching(/^`streams\[0\]\.table` is .*, or another `rejected_records\.table`$/),
    ])
  })

  it('may be a stream’s while nothing goes there', () => {
    for (const more of [{}, { on_rejected: 'divert', rejected_file: 'f' }])
      expect(read({ rejected_table: 'bad', ...streamEntry({ table: 'bad' }), ...more }).problems).toEqual([])
  })

  it('keeps `plan` from guessing tables while it is not known', () => {
    for (const wrong of [{ on_rejected: 1 }, { rejected_table: '!' }, { rejected_file: 1 }])
      expect(read(wrong).tables).toBeUndefined()
    expect(read({ log_keys: 1 }).tables).toBeDefined()
  })
})

describe('limits', () => {
  it('are none for the count and a half for the share, and may be others for a stream', () => {
    expect(read({}).config?.rejectLimits).toEqual({ maxRejected: undefined, maxRejectedShare: 0.5 })
    const streams = [{ name: 'orders', max_rejected: 0, max_rejected_share: 1, expect: { min_records: 5 } }]
    const given = { rejected_records: { policy: 'table' }, max_rejected: 7, max_rejected_share: 0, streams }
    const { config, warnings } = read(given)
    expect(warnings).toEqual([])
    expect(config?.rejectLimits).toEqual({ maxRejected: 7, maxRejectedShare: 0 })
    const own = { maxRejected: 0, maxRejectedShare: 1, expect: { minRecords: 5 } }
    expect(config?.tables.streams[0]).toMatchObject(own)
  })

  it.each<[object, string]>([
    [{ max_rejected: -1 }, '`max_rejected` must be at least 0'],
    [{ max_rejected_share: 50 }, '`max_rejected_share` must be at most 1'],
    [streamEntry({ max_rejected_share: '10 %' }), '`streams[0].max_rejected_share` must be a number'],
    [streamEntry({ expect: { min_records: 0 } }), '`streams[0].expect.min_records` must be at least 1'],
  ])('%j: %s', (more, problem) => {
    expect(read(more).problems).toEqual([expect.stringContaining(problem)])
  })

  it('that have no effect while nothing is kept are told, but not what a form sends untouched', () => {
    const streams = [
      { name: 'a', max_rejected: null, expect: {} },
      { name: 'b', max_rejected_share: 0.1 },
    ]
    const untouched = { max_rejected: null, max_rejected_share: 0.5 }
    const idle = 'has no effect: rejected records are not kept, so the first one ends the run anyway'
    expect(read({ ...untouched, streams }).warnings).toEqual([`\`streams[1].max_rejected_share\` ${idle}`])
    expect(read({ max_rejected: 1, max_rejected_share: 0.4, on_rejected: 'fail' }).warnings).toEqual([
      `\`max_rejected\` ${idle}`,
      `\`max_rejected_share\` ${idle}`,
    ])
  })
})
