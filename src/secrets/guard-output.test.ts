import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { format, stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { guardOutput, type Printing } from './guard-output.ts'
import { Scrubber } from './scrubber.ts'

const KEY = 'k/é+&=%"\\'

class Collector extends Writable {
  readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }
}

class FakeProcess extends EventEmitter implements Printing {
  readonly stdout = new Collector()
  readonly stderr = new Collector()
  readonly raw: string[] = []

  _rawDebug = (...args: unknown[]): void => void this.raw.push(format(...args))
}

function guarded(secrets: readonly string[] = [KEY]): {
  process: FakeProcess
  scrubber: Scrubber
  unguarded: ReturnType<typeof guardOutput>
} {
  const process = new FakeProcess()
  const scrubber = new Scrubber()
  const unguarded = guardOutput(process, scrubber)
  scrubber.learn(secrets)
  return { process, scrubber, unguarded }
}

test.each(['stdout', 'stderr'] as const)('%s, whole and in pieces, in every encoding', async (name) => {
  const { process } = guarded()
  const stream = process[name]
  stream.write(`a ${KEY}\n`)
  for (const byte of Buffer.from(`b ${KEY}\n`)) stream.write(Uint8Array.of(byte))
  for (const unit of `c ${encodeURIComponent(KEY)}\n`) stream.write(unit)
  stream.write(Buffer.from(`d ${KEY}\n`).toString('base64'), 'base64')
  stream.write(Buffer.from(`e ${KEY}\n`).toString('hex'), 'hex')
  stream.write(new DataView(Uint8Array.from(Buffer.from(`f ${KEY}\n`)).buffer))
  stream.write('g ké\n', 'latin1')
  const told: string[] = []
  stream.write('h', () => told.push('h'))
  stream.write('i', 'utf8', () => told.push('i'))
  await expect.poll(() => told).toEqual(['h', 'i'])
  const lines = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter} ******\n`).join('')
  expect(stream.bytes.toString('latin1')).toBe(`${lines}g ké\nhi`)
})

test('what is no secret stays byte for byte, whatever it is', () => {
  const { process } = guarded()
  const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7919) % 256))
  process.stderr.write(bytes)
  process.emit('exit')
  expect(process.stderr.bytes.equals(bytes)).toBe(true)
})

test('a line is not held back for the next one, a beginning of a secret is', () => {
  const { process } = guarded()
  process.stderr.write('100 % of "this" & that\\\n')
  expect(process.stderr.bytes.toString()).toBe('100 % of "this" & that\\\n')
  process.stderr.write('key: k/é')
  expect(process.stderr.bytes.toString()).toMatch(/key: $/)
})

test('nothing is lost at the end, and nothing is shown after it', () => {
  const { process } = guarded()
  process.stderr.write('last words: k')
  process.stdout.write('%')
  process.emit('exit')
  expect([process.stdout, process.stderr].map(({ bytes }) => bytes.toString())).toEqual(['%', 'last words: k'])
  process.stderr.write(KEY.slice(0, 4))
  process.stderr.write(`${KEY.slice(4)}\n`)
  expect(process.stderr.bytes.toString()).toBe('last words: k******\n')
})

test('Node’s debug output: no bytes, and nothing before a secret that is on its way is known', () => {
  const { process, scrubber } = guarded([])
  const bytes = Buffer.from(KEY)
  const say = (text: string): void => {
    process.stderr.write(`STREAM 17: ${text}\n`)
    process.stderr.write(`NET \u001b[33m17\u001b[39m: ${text}\n`)
    process._rawDebug('%s %s: %s', 'HTTP', 17, text)
  }
  say(format('before', bytes))
  const end = scrubber.debug.hold()
  say(`meanwhile ${KEY}`)
  process.stderr.write('ours\n')
  scrubber.learn([KEY])
  end(true)
  const shown = stripVTControlCharacters(process.stderr.bytes.toString())
  expect(shown.split('\n')).toEqual([
    'STREAM 17: before <Buffer ******>',
    'NET 17: before <Buffer ******>',
    'ours',
    'STREAM 17: meanwhile ******',
    'NET 17: meanwhile ******',
    '',
  ])
  expect(process.raw).toEqual(['HTTP 17: before <Buffer ******>', 'HTTP 17: meanwhile ******'])
})

test('what only looks like debug output is told to be written, and is held by nothing', async () => {
  const { process, scrubber } = guarded()
  scrubber.debug.hold()
  const told: string[] = []
  process.stderr.write(`ORDERS 17: ${KEY}\n`, () => told.push('a text'))
  process.stderr.write(`ORDERS 18: ${KEY}\n`, 'utf8', () => told.push('with its encoding'))
  process.stderr.write(Buffer.from(`ORDERS 19: ${KEY}\n`))
  await expect.poll(() => told).toEqual(['a text', 'with its encoding'])
  expect(process.stderr.bytes.toString()).toBe('ORDERS 17: ******\nORDERS 18: ******\nORDERS 19: ******\n')
})

test('a stream that is ended', async () => {
  const { process } = guarded()
  const ended = new Promise<void>((resolve) => process.stderr.end(`end ${KEY}`, () => resolve()))
  process.stdout.write('k/')
  process.stdout.end()
  await ended
  expect([process.stdout, process.stderr].map(({ bytes }) => bytes.toString())).toEqual(['k/', 'end ******'])
})

test('before a secret is known all passes as it is, with the chunk it was', () => {
  const { process, scrubber } = guarded([])
  process.stderr.write(`a ${KEY} k/`)
  scrubber.learn([KEY])
  process.stderr.write(`${KEY}\n`)
  expect(process.stderr.bytes.toString()).toBe(`a ${KEY} k/******\n`)
})

test('what cannot be written is the stream’s to tell', () => {
  const { process } = guarded()
  expect(() => process.stderr.write(null)).toThrow(/null/)
  expect(() => process.stderr.write('a', 'no encoding' as BufferEncoding)).toThrow(/encoding/)
})

test('the way past the guard', () => {
  const { process, unguarded } = guarded()
  unguarded.write(Buffer.from(KEY), () => {})
  expect(process.stdout.bytes.toString()).toBe(KEY)
  const errors: Error[] = []
  unguarded.on('error', (error) => errors.push(error))
  process.stdout.destroy(new Error('EPIPE'))
  return expect.poll(() => errors).toHaveLength(1)
})

test('what Node prints past the stream', () => {
  const { process } = guarded()
  process._rawDebug('%s and %j', KEY, { key: KEY })
  expect(process.raw).toEqual(['****** and {"key":"******"}'])
})

test('a warning is scrubbed before others see it, a frozen one does no harm', () => {
  const process = new FakeProcess()
  const seen: unknown[] = []
  process.on('warning', (warning: Error & { detail?: string }) => seen.push(warning.message, warning.detail))
  guardOutput(process, new Scrubber([KEY]))
  process.emit('warning', Object.assign(new Error(`of ${KEY}`), { detail: KEY, code: 7 }))
  process.emit('warning', Object.freeze(new Error('of nothing')))
  process.emit('warning', Object.freeze(new Error(KEY)))
  expect(seen.slice(0, 4)).toEqual(['of ******', '******', 'of nothing', undefined])
})
