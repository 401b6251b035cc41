// `stream --dry-run`, told to stop while it asks brokers that do not answer: it was stopped, and nothing failed.

import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dryStream } from '../../src/commands/stream/stream.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'
import type { DryRun } from '../../src/telemetry/dry-run/dry-run-schema.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'

const folder = ownFolder('test')

test.each<[string, object, (socket: Socket) => void]>([
  ['where its group goes on, and they are silent', {}, () => {}],
  ['where its group goes on, and they hang up', {}, (socket) => socket.destroy()],
  ['for its topic of dead letters', { dead_letters: { topic: 'letters' } }, (socket) => socket.destroy()],
])(
  'stopped while it asks %s',
  async (_, more, answer) => {
    const end = new AbortController()
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume()
      answer(socket)
      end.abort()
    })
    await using _server = { [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())) }
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
    const brokers = [`127.0.0.1:${(server.address() as AddressInfo).port}`]
    const config = join(folder, 'config.json')
    const service = { import_url: 'http://127.0.0.1:1', client_id: 7, api_key: { file: join(folder, 'key') } }
    const kafka = { brokers, group: 'g' }
    await writeFile(join(folder, 'key'), 'k'.repeat(32))
    await writeFile(config, JSON.stringify({ ...service, kafka, topics: [{ topic: 't', keys: ['id'] }], ...more }))
    const said = new Said()
    const io = { ...ioOf(NO_INPUT, said, said), signal: end.signal }
    const code = await dryStream({ configFile: config, json: true, mostRecords: undefined }, io)
    const dry = JSON.parse(await said.text()) as DryRun
    expect({ code, result: dry.result, error: dry.error }).toEqual({ code: 'stopped', result: 'stopped', error: null })
    expect(dry).toMatchObject({ rows: [], offsets: [], warnings: [] })
  },
  30_000,
)
