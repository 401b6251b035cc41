// `write` as a process: what goes in, what comes out.

import { describe, expect, it } from 'vitest'
import { logs, record, state, trace, write } from './driver.ts'

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

  it.each<[string, string | Buffer, string, string]>([
    ['no JSON', '{"type":"RECORD" oops-secret', 'system_error', 'line 3'],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"type":"RECORD","x":"oops-secret'), Buffer.of(0xff), Buffer.from('"}')]),
      'system_error',
      'line 3',
    ],
    ['an unknown stream', record('{"x":"oops-secret"}', 'nowhere'), 'config_error', '"nowhere"'],
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
})
