// `stream` leaves its report and its summary in no place of another file of the run. No broker is asked for that.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stream } from '../../src/commands/stream/stream.ts'
import { workFolder } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'

it.each<[option: 'report' | 'summary', name: string, found: string]>([
  ['report', 'stream.json', 'is that of --config'],
  ['summary', 'api-key', 'is one that the config refers to'],
  ['report', 'letters.jsonl', 'is that of dead_letters.file'],
])('--%s is refused before it reads where it would replace %s', async (option, name, found) => {
  await using work = await workFolder()
  const letters = await work.file('letters.jsonl', '')
  const config = {
    import_url: 'http://127.0.0.1:1',
    client_id: 7,
    api_key: { file: await work.file('api-key', 'canary-key-5021') },
    kafka: { brokers: ['127.0.0.1:1'], group: 'kept' },
    topics: [{ topic: 'orders', keys: ['id'] }],
    dead_letters: { file: letters },
  }
  const configFile = await work.file('stream.json', config)
  const file = join(work.path, name)
  const before = await readFile(file)
  const said = new Said()
  const options = { configFile, fromDeadLetters: false, reportFiles: { [option]: file } }
  const code = await stream(options, ioOf(NO_INPUT, said, said))
  expect([code, await said.text()]).toEqual([1, expect.stringContaining(found)])
  expect(await readFile(file)).toEqual(before)
})
