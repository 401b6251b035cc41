// `write` as a process: what goes in, what comes out.

import { describe, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import type { LocalService } from '../../src/local-service/start.ts'
import { run, workFolder } from '../connector.ts'
import { logs, record, state, stream, trace, write } from './driver.ts'

describe('input', () => {
  it('is taken with BOM, CRLF, blank lines, U+2028, unknown messages, nulls, any order of members and without a last line feed', async () => {
    const lines = [
      '\uFEFF' + record('{"id":1,"text":"a\u2028b"}'),
      '',
      '   ',
      '{"type":"CONTROL","control":{}}',
      '{"type":"SOMETHING_NEW"}',
      '{"record":{"emitted_at":1,"data":{"id":2},"meta":null,"namespace":null,"stream":"orders"},"type":"RECORD","state":null}',
      '{"type":"RECORD","record":{"stream":"nowhere","data":{}},"record":{"stream":"orders","data":{"id":3}}}',
      '{"ty\\u0070e":"RECORD","record":{"stream":"ord\\u0065rs","data":{"id":4}}}',
      record('{"id":5}', 'orders', ',"namespace":""'),
    ]
    const done = await write({ input: lines.join('\r\n') })
    expect(done.code).toBe(0)
    expect(done.rows('orders').map((row) => (JSON.parse(row) as { id: number }).id)).toEqual([1, 2, 3, 4, 5])
    expect(done.rows('orders')[0]).toBe('{"keys":["id"],"id":1,"text":"a\u2028b"}')
    expect(logs(done, 'WARN')).toContain('Ignored 1 message of an unknown type')
    expect(logs(done, 'WARN')).toContain('the first in input line 5')
  })

  it('of a type in small letters is ignored as any other unknown one, and told', async () => {
    const small = record('{"id":1}').replace('RECORD', 'record')
    const done = await write({ input: `${small}\n${small}\n{"type":"LOG","log":{}}\n` })
    expect(done.code).toBe(0)
    expect(logs(done, 'WARN')).toContain('Ignored 2 messages of unknown types, the first in input line 1')
  })

  it('may have a line of 20 MB', async () => {
    const text = 'x'.repeat(20_000_000)
    const done = await write({
      input: `${record(`{"id":1,"text":"${text}"}`)}\n${record('{"id":2}')}\n${state('1')}\n`,
      config: { max_request_bytes: 33_554_432 },
    })
    expect(done.code).toBe(0)
    const lengths = done.rows('orders').map((row) => row.length)
    expect(new Set(lengths)).toEqual(
      new Set([`{"keys":["id"],"id":1,"text":"${text}"}`.length, '{"keys":["id"],"id":2}'.length]),
    )
    expect(done.states).toHaveLength(1)
  })

  it.each<[string, string | Buffer, string, string]>([
    ['no JSON', '{"type":"RECORD" oops-secret', 'system_error', 'line 3'],
    ['NaN', record('{"id":NaN,"x":"oops-secret"}'), 'system_error', 'NaN'],
    ['cut off', '{"type":"RECORD","record":{"stream":"orders","data":{"x":"oops-secret', 'system_error', 'line 3'],
    ['no object', '["oops-secret"]', 'system_error', 'line 3'],
    ['no type', '{"oops":"oops-secret"}', 'system_error', 'line 3'],
    ['no data', '{"type":"RECORD","record":{"stream":"orders","data":"oops-secret"}}', 'system_error', 'line 3'],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"type":"RECORD","x":"oops-secret'), Buffer.of(0xff), Buffer.from('"}')]),
      'system_error',
      'line 3',
    ],
    [
      'data that is not UTF-8',
      Buffer.from(record('{"id":3,"x":"oops-secret\u00e9"}'), 'latin1'),
      'config_error',
      'line 3, cannot be stored: its data is not valid UTF-8',
    ],
    ['an unknown stream', record('{"x":"oops-secret"}', 'nowhere'), 'config_error', '"nowhere"'],
    ['no key', record('{"x":"oops-secret"}'), 'config_error', 'line 3'],
    ['a null key', record('{"id":null,"x":"oops-secret"}'), 'config_error', 'line 3'],
    ['a double key', record('{"id":1,"id":2,"x":"oops-secret"}'), 'config_error', 'line 3'],
  ])('that is bad (%s) stops the run after what came before it', async (_name, line, failure, words) => {
    const before = `${record('{"id":1}')}\n${state('{"n":1}')}\n`
    const done = await write({
      input: Buffer.concat([
        Buffer.from(before),
        Buffer.from(line),
        Buffer.from(`\n${record('{"id":9}')}\n${state('{"n":2}')}\n`),
      ]),
    })
    const error = trace(done)
    expect(error.failure_type).toBe(failure)
    expect(error.message).toContain(words)
    expect(done.stdout).not.toContain('oops-secret')
    expect(done.rows('orders')).toEqual(['{"keys":["id"],"id":1}'])
    expect(done.states).toHaveLength(1)
  })
})

describe('states', () => {
  it('come back as they went in, with their counts', async () => {
    const odd =
      '{"type":"STATE", "state" : {"stream":{"stream_descriptor":{"name":"orders","namespace":null},"stream_state":{"n":12345678901234567890,"f":1.10}},"destinationStats":null,"type":"STREAM","id":7},"x":[1.0]}'
    const input = [record('{"id":1}'), record('{"id":1}'), odd, record('{"id":2}'), state('null'), state('null')].join(
      '\n',
    )
    const done = await write({ input })
    expect(done.states).toEqual([
      odd.replace(
        '"destinationStats":null',
        '"destinationStats":{"recordCount":2.0,"rejectedRecordCount":0.0,"additionalStats":{"supersededRecordCount":1.0}}',
      ),
      state('null').replace(/\}\}$/, ',"destinationStats":{"recordCount":1.0,"rejectedRecordCount":0.0}}}'),
      state('null').replace(/\}\}$/, ',"destinationStats":{"recordCount":0.0,"rejectedRecordCount":0.0}}}'),
    ])
  })

  it('of all kinds cover what they must', async () => {
    const globals = [
      '{"type":"STATE","state":{"type":"GLOBAL","global":{"shared_state":{"lsn":1},"stream_states":[{"stream_descriptor":{"name":"other"}}]}}}',
      '{"type":"STATE","state":{"type":"GLOBAL","global":null,"global_":{"shared_state":2}}}',
      '{"type":"STATE","state":{"data":{"a":1}}}',
      '{"type":"STATE"}',
      '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":["orders"]}}}}',
    ]
    const input = globals
      .map((line, i) => `${record(`{"id":${i}}`)}\n${record(`{"id":${i}}`, 'users')}\n${line}\n`)
      .join('')
    const done = await write({ input, streams: [stream('orders'), stream('users')] })
    expect(done.code).toBe(0)
    expect(done.states).toHaveLength(5)
    const counts = done.states.map(
      (line) =>
        (JSON.parse(line) as { state?: { destinationStats?: { recordCount: number } } }).state?.destinationStats
          ?.recordCount,
    )
    expect(counts).toEqual([2, 2, 2, undefined, 2])
  })

  it('tell how many records were superseded, each in the first that covers it, whatever their kind', async () => {
    const statsOf = (line: string): unknown =>
      (JSON.parse(line) as { state: { destinationStats: unknown } }).state.destinationStats
    const stats = (recordCount: number, superseded: number, rejectedRecordCount = 0): unknown => ({
      recordCount,
      rejectedRecordCount,
      ...(superseded === 0 ? {} : { additionalStats: { supersededRecordCount: superseded } }),
    })
    const legacy = '{"type":"STATE","state":{"data":{"a":1}}}'
    const global = '{"type":"STATE","state":{"type":"GLOBAL","global":{"stream_states":[]}}}'
    const versions = (id: number, count: number, of = 'orders'): string[] =>
      Array.from({ length: count }, (_, v) => record(`{"id":${id},"v":${v}}`, of))
    const streams = [stream('orders'), stream('users')]
    for (const [all, expected] of [
      // the row of 1 is superseded again behind the first state: three of its versions in all, two of them before
      [
        [
          ...versions(1, 2),
          ...versions(2, 3),
          state('1'),
          ...versions(1, 1),
          record('{"id":3}'),
          state('2'),
          state('3'),
        ],
        [stats(5, 4), stats(2, 0), stats(0, 0)],
      ],
      [
        [...versions(1, 2), ...versions(1, 3, 'users'), global, ...versions(1, 2), legacy],
        [stats(5, 4), stats(2, 1)],
      ],
      [[...versions(1, 2), legacy], [stats(2, 1)]],
    ] as const) {
      const done = await write({ input: all.join('\n'), streams })
      expect([done.code, done.states.map(statsOf)]).toEqual([0, expected])
      if (done.states.length === 1) expect(done.states[0]).toContain('{"supersededRecordCount":1.0}')
    }
    // a version that falls with the newest one counts as rejected, and as nothing else
    const refusing = {
      input: [...versions(1, 3), record('{"id":2}'), state('1')].join('\n'),
      config: { on_rejected: 'divert', rejected_table: 'bad' },
      prepare: (service: LocalService): void =>
        service.fault({
          table: 'orders',
          every: 1,
          answer: ({ body }) => (body.toString().includes('"v":2') ? { status: 400, body: { code: 400 } } : undefined),
        }),
    }
    expect((await write(refusing)).states.map(statsOf)).toEqual([stats(1, 0, 3)])
  })

  it('of a stream that the catalog does not name wait for every record before them, keep no other waiting and count none', async () => {
    const gone = (payload: string): string => state(payload, 'gone')
    const stats = (line: string, count: number): string =>
      line.replace(/\}\}$/, `,"destinationStats":{"recordCount":${count}.0,"rejectedRecordCount":0.0}}}`)
    const records = [1, 2, 3].map((id) => record(`{"id":${id}}`))
    const input = [...records, gone('1'), record('{"id":4}'), gone('2'), state('3'), gone('4')].join('\n')
    const done = await write({ input })
    expect(done.code).toBe(0)
    expect(done.states.filter((line) => line.includes('gone'))).toEqual(['1', '2', '4'].map((of) => stats(gone(of), 0)))
    expect(done.states.filter((line) => !line.includes('gone'))).toEqual([stats(state('3'), 4)])
    expect(logs(done, 'WARN')).toMatch(/^The STATE of input line 4 is of a stream that the catalog does not name/)
    expect(logs(done, 'INFO')).not.toContain('gone')

    // and while one of the other streams cannot be delivered
    const prepare = (service: LocalService): void =>
      service.fault({ table: 'users', every: 1, answer: { status: 503 } })
    const streams = [stream('orders'), stream('users')]
    const down = await write({ input: [gone('1'), record('{"id":1}', 'users'), input].join('\n'), prepare, streams })
    expect(trace(down).failure_type).toBe('transient_error')
    expect(down.states.toSorted()).toEqual([stats(gone('1'), 0), stats(state('3'), 4)].toSorted())
  })
})

describe('modes', () => {
  it('append makes every record a row, and the same messages again make no more', async () => {
    const input = Array.from({ length: 250 }, () => record('{"a":1}')).join('\n')
    const append = [stream('orders', { destination_sync_mode: 'append', primary_key: [] })]
    await using service = await startLocalService()
    await using work = await workFolder()
    const args = [
      'write',
      '--config',
      await work.file('c', { import_url: service.url, client_id: '7', api_key: 'demo-key' }),
      '--catalog',
      await work.file('g', { streams: append }),
    ]
    expect((await run(args, input)).code).toBe(0)
    expect((await run(args, input)).code).toBe(0)
    expect(service.rows('orders')).toHaveLength(250)
  })

  it('overwrite is refused at the first record, and passes without one', async () => {
    const streams = [stream('orders', { destination_sync_mode: 'overwrite' }), stream('users')]
    const cleared = await write({ input: `${state('{}')}\n`, streams })
    expect([cleared.code, cleared.states.length]).toEqual([0, 1])
    expect(logs(cleared, 'WARN')).toContain('"orders"')
    const input = [record('{"id":1}', 'users'), state('1', 'users'), record('{"id":1}'), state('2')].join('\n')
    const refused = await write({ input, streams })
    expect(trace(refused)).toMatchObject({ failure_type: 'config_error', stream_descriptor: { name: 'orders' } })
    expect(trace(refused).message).toContain('older_rows: keep')
    expect([refused.rows('orders').length, refused.rows('users').length, refused.states.length]).toEqual([0, 1, 1])
    const kept = await write({ input, streams, config: { older_rows: 'keep' } })
    expect(kept.code).toBe(0)
    expect(kept.rows('orders')[0]).toContain('"_airbyte_extracted_at":1,')
  })

  it.each<[string, unknown]>([
    ['no primary key', { streams: [stream('orders', { primary_key: [] })] }],
    ['a nested key', { streams: [stream('orders', { primary_key: [['a', 'b']] })] }],
    ['an unknown mode', { streams: [stream('orders', { destination_sync_mode: 'update' })] }],
    ['two streams of one table', { streams: [stream('a b'), stream('A_b')] }],
    ['no streams', { streams: [] }],
    ['no catalog at all', 'rubbish'],
  ])('a catalog with %s is refused before anything is sent', async (_name, catalog) => {
    const done = await write({ input: record('{"id":1}'), catalog })
    expect(trace(done).failure_type).toBe('config_error')
    expect(done.requests).toBe(0)
  })
})
