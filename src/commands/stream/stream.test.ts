import { expect, it } from 'vitest'
import { Output } from '../../process/output.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import { displayFor } from './stream.ts'
import { PassThrough } from 'node:stream'

it.each([
  [{ isDumb: true, columns: 80 }, /^\d\d:\d\d:\d\dZ info {2}Joined the group\.\n$/],
  [{ isDumb: true, columns: undefined }, /^\{"time":.*"message":"Joined the group\."/],
  [{ columns: undefined }, /^\{"time":.*"message":"Joined the group\."/],
])('the log of %j is for who reads it', async (terminal, line) => {
  const stream = new PassThrough()
  const stdout = new Output(stream)
  using progress = displayFor({ stdout, env: {}, scrubber: new Scrubber(), isTty: false, ...terminal })
  await progress.log('info', 'Joined the group.', { partitions: 2 })
  await stdout.flush()
  expect(String(stream.read())).toMatch(line)
})
