// A disk that is full under standard output, at any byte: one error with its own words, in the summary too. A reader that left is a
// stop. In this process, since a small file system cannot be made without rights.

import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { assert, asyncProperty, boolean, integer, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { write as writeCommand } from '../../src/commands/write.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import { Output } from '../../src/process/output.ts'
import type { Input } from '../../src/process/pipe-input.ts'
import { workFolder } from '../connector.ts'
import { ioOf, Said } from '../../src/process/testing/said.ts'
import { argsOf, record, state } from './driver.ts'

const CHUNKS = 40
const CHUNK = Buffer.from(
  Array.from({ length: 50 }, (_, id) => `${record(`{"id":${id}}`)}\n${state(`{"c":${id}}`)}\n`).join(''),
)
/** The least that comes out: each STATE, longer by its counts. */
const LEAST_OUT = CHUNKS * 50 * Buffer.byteLength(state('{"c":1}'))

/** Fails once it has taken so many bytes, at once or in the same turn: files and pipes of a process are written so. */
function failing(code: string, room: number, isSync: boolean): Writable {
  let left = room
  return new Writable({
    highWaterMark: 1e6,
    write(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      const error = left < 0 ? Object.assign(new Error(`${code}: what the system says, write`), { code }) : undefined
      if (isSync) done(error)
      else process.nextTick(done, error)
    },
  })
}

async function writtenInto(code: string, room: number, isSync: boolean) {
  await using service = await startLocalService()
  await using work = await workFolder()
  const [, , config, , catalog] = await argsOf(service, work)
  const unread = new AbortController()
  const stderr = new Said()
  const input: Input = {
    async *[Symbol.asyncIterator]() {
      for (let nth = 0; nth < CHUNKS; nth++) {
        yield CHUNK
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    destroy() {},
  }
  const io = {
    ...ioOf(input, new Said(), stderr),
    stdout: new Output(failing(code, room, isSync), () => unread.abort()),
    signal: unread.signal,
    stopAsked: new AbortController().signal,
    repeatsFailures: () => true,
  }
  const summary = `${work.path}/summary.json`
  const ended = await writeCommand({ configFile: config!, catalogFile: catalog!, reportFiles: { summary } }, io)
  const { result, error, exit_code } = JSON.parse(await readFile(summary, 'utf8')) as Record<string, unknown>
  return { ended, said: await stderr.text(), result, error, exit_code }
}

const fullAt = tuple(integer({ min: 0, max: LEAST_OUT }), boolean())

it('ends with one error where no more can be written', async () => {
  const message = 'Standard output cannot be written: ENOSPC, there is no space left.'
  await assert(
    asyncProperty(fullAt, async ([room, isSync]) => {
      const { ended, said, ...summary } = await writtenInto('ENOSPC', room, isSync)
      expect(summary).toEqual({
        result: 'failed',
        error: { kind: 'config', code: 'output.unwritable', message },
        exit_code: 1,
      })
      expect([ended, said.startsWith(`${message} Records stored: `), said.match(/\n/g)]).toEqual([1, true, ['\n']])
    }),
    { numRuns: 25 },
  )
})

it('is stopped where its reader has left', async () => {
  await assert(
    asyncProperty(fullAt, async ([room, isSync]) => {
      const { ended, said, ...summary } = await writtenInto('EPIPE', room, isSync)
      expect([ended, summary]).toEqual(['stopped', { result: 'stopped', error: null, exit_code: 1 }])
      expect(said).toMatch(/^Nobody reads standard output any more: it was closed\. Records stored: .*\n$/)
    }),
    { numRuns: 25 },
  )
})
