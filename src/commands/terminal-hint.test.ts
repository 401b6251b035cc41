import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../process/output.ts'
import { hintAtTerminal } from './terminal-hint.ts'

async function hinted(isTTY: boolean | undefined): Promise<string> {
  let text = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const stderr = new Output(sink)
  await hintAtTerminal(isTTY === undefined ? {} : { isTTY }, { stderr })
  await stderr.flush()
  return text
}

test('a terminal is told what is expected, a pipe or a file nothing', async () => {
  const hint = await hinted(true)
  for (const words of ['standard input', 'Ctrl-D', '< messages.jsonl']) expect(hint).toContain(words)
  for (const line of hint.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect([await hinted(false), await hinted(undefined)]).toEqual(['', ''])
})

test('a standard error that is closed is no reason to stop', async () => {
  const stderr = new Output(new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }))
  await hintAtTerminal({ isTTY: true }, { stderr })
  await stderr.flush().catch(() => {})
  await expect(hintAtTerminal({ isTTY: true }, { stderr })).resolves.toBeUndefined()
})
