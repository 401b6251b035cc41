import { expect, test } from 'vitest'
import { log, traceError } from '../airbyte/emitter.ts'
import { ConnectorError } from '../core/errors.ts'
import { Scrubber } from './scrubber.ts'
import { scrubLine } from './scrub-line.ts'

test('a text, and a message without a secret, as they are', () => {
  const { scrub } = new Scrubber(['hidden'])
  expect(scrubLine('one hidden\ntwo\n', scrub)).toBe('one ******\ntwo\n')
  const line = log('INFO', 'nothing\u2028here')
  expect(scrubLine(line, scrub)).toBe(line)
})

test.each(['type', 'LOG', 'TRACE', 'ERROR', 'message', '":"', '{"t', 'config_error', 'n\\n', '\\u2028', 'emitted_at'])(
  'the secret %j leaves a message in order',
  (secret) => {
    const { scrub } = new Scrubber([secret])
    const error = new ConnectorError('config', `found ${secret}\u2028`, { track: { name: secret } })
    const line = scrubLine(traceError(error, 1), scrub)
    expect(line).toMatch(/^\{"type":"TRACE".*\}\n$/)
    expect(line).not.toContain('\u2028')
    expect(JSON.parse(line)).toEqual({
      type: 'TRACE',
      trace: {
        type: 'ERROR',
        emitted_at: 1,
        error: {
          message: scrub(`found ${secret}\u2028`),
          internal_message: scrub(`found ${secret}\u2028`),
          failure_type: 'config_error',
          stream_descriptor: { name: '******' },
        },
      },
    })
  },
)
