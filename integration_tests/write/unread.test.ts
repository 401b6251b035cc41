// Whoever reads the STATE lines of `write` goes away: it says so, with what was stored, and is no success. What a terminal would obey in
// names that a source chose is an escape in all that is printed, and stays as it came in a STATE.

import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { MAIN, workFolder } from '../connector.ts'
import { argsOf, logs, record, state, stream, trace, write } from './driver.ts'

it.each([
  ['after its first bytes', 'head -c 10 > /dev/null'],
  ['before anything comes', 'exec true'],
])('says that its reader went away %s', async (_, reader) => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const args = await argsOf(service, work)
  // more than a pipe holds, or all might be written before the reader is gone
  const states = Array.from({ length: 2000 }, (__, index) => `${state(`{"c":${index}}`)}\n`).join('')
  const input = await work.file('in.jsonl', `${record('{"id":1}')}\n${record('{"id":2}')}\n${states}`)
  const code = `"$@" < "$INPUT" | (${reader}); echo \${PIPESTATUS[0]}`
  const command = ['-c', code, 'bash', process.execPath, MAIN, ...args]
  const said = await new Promise<{ out: string; err: string }>((resolve) => {
    execFile('bash', command, { env: { ...process.env, INPUT: input } }, (_error, out, err) => resolve({ out, err }))
  })
  expect(said.out).toBe('1\n')
  expect(said.err).toMatch(
    /^Nobody reads standard output any more: it was closed\. Records stored: [0-2] of [0-2] read\. The STATE lines that were not read are lost\. Run the same command again, starting from the last STATE that was read, if any\. Records sent twice are stored once\.\n$/,
  )
})

it('prints nothing that a terminal would obey, and a STATE as it came', async () => {
  const name = 'x\u009b31m\u202e\u061c'
  const given = state('{"c":1}', name)
  const done = await write({
    input: `${record('{"id":1}', name)}\n${record('{"no":"key"}', name)}\n${given}\n`,
    streams: [stream(name, { stream: { name, namespace: 'n\u0085\u200f' } })],
  })
  const ours = done.lines.filter((line) => !line.includes('"STATE"'))
  expect(ours.some((line) => line.includes('x\\u009b31m\\u202e\\u061c'))).toBe(true)
  expect(ours.join('').match(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)).toBe(null)
  const kept = await write({ input: `${record('{"id":1}', name)}\n${given}\n`, streams: [stream(name)] })
  expect(kept.states).toHaveLength(1)
  expect(kept.states[0]).toContain(`"name":"${name}"`)
})

it('says that standard input was empty, and that a stream was perhaps misspelt', async () => {
  const empty = await write({ input: '' })
  expect(empty.code).toBe(0)
  expect(logs(empty, 'WARN')).toContain('Standard input was empty: no message came')
  const silent = await write({ input: '{"type":"LOG","log":{"level":"INFO","message":"nothing new"}}\n' })
  expect(logs(silent, 'WARN')).not.toContain('empty')
  const misspelt = await write({ input: `${record('{"id":1}', 'order')}\n` })
  expect(trace(misspelt).message).toContain('the catalog does not name. Did you mean "orders"?')
  const ofState = await write({ input: `${state('1', 'order')}\n` })
  expect(logs(ofState, 'WARN')).toContain('Did you mean "orders"?')
})
