import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Output } from '../../process/output.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import type { Io } from '../../process/io.ts'
import { serveCommand } from './serve-command.ts'

interface Served {
  readonly code: number | 'stopped'
  readonly printed: string
  readonly scrub: (text: string) => string
}

/** Ends as soon as something was said. */
async function served(client: string[]): Promise<Served> {
  const ending = new AbortController()
  const scrubber = new Scrubber()
  const sink = new PassThrough()
  let printed = ''
  sink.on('data', (text: Buffer) => {
    printed += text.toString()
    ending.abort()
  })
  const io: Io = {
    argv: [],
    env: {},
    openInput: () => Promise.reject(new Error('nothing is read')),
    stdout: new Output(sink, undefined, scrubber.scrub),
    stderr: new Output(sink, undefined, scrubber.scrub),
    scrubber,
    isTty: false,
    columns: undefined,
    signal: ending.signal,
  }
  const code = await serveCommand({ port: '0', client }, io)
  await io.stderr.flush()
  return { code, printed, scrub: scrubber.scrub }
}

it('shows no key that was given but that of the examples', async () => {
  const { code, printed, scrub } = await served(['7:demo-key', '8:canary-4711'])
  expect(code).toBe(0)
  expect(printed).toMatch(/client 7 +key demo-key\n/)
  expect(printed).toContain('"api_key":"demo-key"')
  expect(scrub('demo-key canary-4711')).toBe('demo-key ******')
})

it.each([['seven:key'], ['key'], ['7:']])('says what is wrong with %s in words that can be read', async (client) => {
  const { code, printed } = await served([client])
  expect(code).toBe(2)
  expect(printed).toBe('serve: Wrong --client: it is ID:KEY, a whole number, a colon and a key, such as 7:demo-key.\n')
})

it('does not show a key that is wrongly given', async () => {
  for (const client of ['seven:canary-4711', 'canary-4711', 'canary'])
    expect((await served([client])).printed).not.toContain('canary')
})

it('greets with a key that is a word of the greeting, and does not show which', async () => {
  const { printed } = await served(['7:key'])
  expect(printed).toMatch(/client 7 +key as given\n/)
  expect(printed).toContain('"api_key":"the key of client 7"')
  expect(printed).not.toContain('***')
})
