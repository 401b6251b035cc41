import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { Output } from '../process/output.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { demo } from './demo.ts'

it('fits a terminal, but for lines of JSON, and for what is to be copied', async () => {
  let text = ''
  const sink = (): Output =>
    new Output(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          text += chunk.toString()
          done()
        },
      }),
    )
  const ended = await demo({
    argv: ['demo'],
    env: {},
    openInput: () => Promise.reject(new Error('it reads nothing of its own')),
    stdout: sink(),
    stderr: sink(),
    scrubber: new Scrubber(),
    isTty: false,
    columns: 80,
    signal: new AbortController().signal,
  })
  expect(ended).toBe(0)
  const lines = text.split('\n')
  expect(lines.filter((line) => line.length > 80 && !/\{"type"|ssh-ed25519/.test(line))).toEqual([])
  expect(text).toMatch(/gave back 3 STATE lines, the\s+last one:\n/)
  expect(text).toMatch(/^purchases +500 {2}\{"keys":\["id"\],.*…$/m)
})
