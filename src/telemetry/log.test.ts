import * as fc from 'fast-check'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../process/output.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { isWanted, jsonLog, logLine, wantedBy } from './log.ts'
import type { LogFields } from '../process/io.ts'

test('LOG_LEVEL is understood in every case and many words; what is not, hides nothing and is said', () => {
  const words = ['trace', 'DEBUG', 'Info', 'WARN', ' warning ', 'error', 'Fatal', 'CRITICAL']
  expect(words.map((word) => wantedBy(word).least).join()).toBe('debug,debug,info,warn,warn,error,error,error')
  for (const word of words) expect(wantedBy(word).problem).toBeUndefined()
  for (const text of [undefined, '', '  ']) expect(wantedBy(text)).toEqual({ least: 'info', problem: undefined })
  for (const text of ['30', 'constructor', '__proto__', 'warn,info'])
    expect(wantedBy(text)).toEqual({
      least: 'info',
      problem: 'LOG_LEVEL is none of debug, info, warn, error: using info.',
    })
})

test('what is as grave as asked for, or graver, is wanted', () => {
  expect([isWanted('info', 'info'), isWanted('info', 'warn'), isWanted('error', 'warn')]).toEqual([true, false, true])
  expect([isWanted('debug', 'info'), isWanted('debug', 'debug')]).toEqual([false, true])
})

test('time, level and message come first, in one compact line', () => {
  expect(logLine(0, 'warn', 'two\nlines', { partition: 3, lag: null })).toBe(
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"two\\nlines","partition":3,"lag":null}\n',
  )
})

test('what a terminal would obey is an escape, so that a reader of JSON has the name as it is', () => {
  const line = logLine(0, 'info', 'a\u009bb', { 'na\u202eme': ['\u061c'] })
  expect(line).toContain('"a\\u009bb","na\\u202eme":["\\u061c"]')
})

test('whatever is said, it is one line of JSON that no terminal obeys', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const fields = fc.dictionary(
    text.filter((name) => !['time', 'level', 'message'].includes(name)),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 4 },
  )
  fc.assert(
    fc.property(text, fields, (message, fields) => {
      const line = logLine(1, 'info', message, fields as unknown as LogFields)
      // oxlint-disable-next-line no-control-regex
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
      expect(line.isWellFormed()).toBe(true)
      expect(Object.keys(JSON.parse(line) as object)).toEqual(expect.arrayContaining(['time', 'level', 'message']))
    }),
  )
})

test('a message that is far too long is cut', () => {
  expect(logLine(0, 'error', '\u0001'.repeat(100_000)).length).toBeLessThan(50_000)
  expect(logLine(0, 'error', 'x'.repeat(100_000)).length).toBeLessThan(8_200)
})

test('only what is wanted is written, without secrets', async () => {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const { scrub } = new Scrubber(['hidden'])
  const output = new Output(stream, undefined, scrub)
  const log = jsonLog({ output, least: 'warn', wallClock: () => 0, scrub })
  await log('info', 'not this')
  await log('error', 'hidden words', { topic: 'hidden' })
  await log('error', `${'.'.repeat(7_997)}hidden words`)
  await output.flush()
  const [told, long] = text.split('\n')
  // it is shortened where the secret is
  expect(long).not.toContain('hid')
  expect(JSON.parse(told!)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'error',
    message: '****** words',
    topic: '******',
  })
})

test('who logs waits until there is room', async () => {
  const room = Promise.withResolvers<void>()
  const log = jsonLog({ output: { write: () => room.promise }, least: 'info', wallClock: () => 0, scrub: String })
  let isLogged = false
  const logged = log('info', 'a').then(() => (isLogged = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isLogged).toBe(false)
  room.resolve()
  await logged
  expect(isLogged).toBe(true)
})

test('when nobody reads any more, the output tells its owner, and the log nobody', async () => {
  const failures: Error[] = []
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const output = new Output(stream, (error) => failures.push(error))
  const log = jsonLog({ output, least: 'info', wallClock: () => 0, scrub: String })
  await log('info', 'one')
  await output.flush().catch(() => {})
  await log('info', 'two')
  expect(failures).toHaveLength(1)
})
