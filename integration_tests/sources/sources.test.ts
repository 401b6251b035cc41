// The example of docs/sources.md: it stores what it reads, goes on where it was, and ends at a record that is refused.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../src/commands/run.ts'
import { loadWriteConfig } from '../../src/config/write/write-load.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import type { InputGroup, Open } from '../../src/run/open-input.ts'
import type { RunFacts } from '../../src/run/run-facts.ts'
import { facts } from '../../src/run/testing/facts.ts'
import { readPage } from '../cli/readme-commands.ts'
import { workFolder } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../../src/process/testing/said.ts'
import { openLines } from './lines-source.ts'

const EXAMPLE = 'integration_tests/sources/lines-source.ts'

it('stands in docs as it is, in sixty lines', async () => {
  const [page, example] = await Promise.all([readPage('docs/sources.md'), readPage(EXAMPLE)])
  const shown = example.replaceAll("'../../src/", "'./src/")
  expect(page).toContain(shown)
  expect(shown.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})

interface Played {
  readonly play: () => Promise<'complete' | 'stopped'>
  readonly last: () => RunFacts | undefined
}

/** @param open the door of each run */
function runs(url: string, open: Open<number, number>): Played {
  const options = { import_url: url, client_id: 7, api_key: 'demo-key' }
  const { config } = loadWriteConfig(JSON.stringify(options), () => {})
  const said = new Said()
  const io = ioOf(NO_INPUT, said, said)
  let last: RunFacts | undefined
  const command = {
    name: 'lines',
    files: [],
    reportFiles: {},
    log: async () => {},
    show: () => {},
    ended: async (facts: RunFacts) => void (last = facts),
    load: async () => ({
      service: { ...config.service, requestTimeoutMs: 5000, scrub: io.scrubber.scrub },
      limits: config.limits,
      reportLimits: [],
      open,
    }),
  } as const
  return { play: () => run(command, io), last: () => last }
}

it('stores its lines, goes on where it was, and says which one is refused', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const file = join(work.path, 'visits.jsonl')
  const { play, last } = runs(service.url, (context) => openLines(file, context))
  const lines = Array.from({ length: 1200 }, (_, id) => `{"id":${id},"page":"/home"}\n`)
  await writeFile(file, lines.join(''))
  expect(await play()).toBe('complete')
  expect(last()?.total.counts).toMatchObject({ records: 1200, written: 1200, rejected: 0 })
  expect(last()?.tables).toMatchObject([{ table: 'visits', requests: 12, attempts: 12 }])
  expect(await readFile(`${file}.stored`, 'utf8')).toBe('1200')
  await writeFile(file, `${lines.join('')}{"id":1200}\n{"id":1201,"keys":["other"]}\n`)
  await expect(play()).rejects.toThrow(/^Line 1202 cannot be stored: .+ Correct it, and run again\.$/)
  expect(service.rows('visits')).toHaveLength(1201)
})

it('takes no two ids for one, however long, and refuses a line without', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const file = join(work.path, 'visits.jsonl')
  const { play } = runs(service.url, (context) => openLines(file, context))
  await writeFile(file, '{"id":9007199254740992}\n{"id":9007199254740993}\n')
  expect(await play()).toBe('complete')
  expect(service.rows('visits')).toHaveLength(2)
  await writeFile(file, '{"id":9007199254740992}\n{"id":9007199254740993}\n\n')
  expect(await play()).toBe('complete')
  await writeFile(file, '{"id":9007199254740992}\n{"id":9007199254740993}\n{"x":1}\n')
  await expect(play()).rejects.toThrow('Line 3 cannot be stored: it has no "id" first. Correct it, and run again.')
})

it('ends with what its group failed with, however early', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const file = join(work.path, 'visits.jsonl')
  await writeFile(file, '{"id":1}\n{"id":2}\n')
  const { play, last } = runs(service.url, async (context) => {
    const input = await openLines(file, context)
    const hasRead = Promise.withResolvers<void>()
    const source: typeof input.source = {
      settled: (...told) => input.source.settled(...told),
      async *read(signal, ...others) {
        yield* input.source.read(signal, ...others)
        hasRead.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }
    const gone = new ConnectorError('transient', 'kafka.unreachable', 'The group is gone.')
    return { ...input, source, group: { ...ALONE, run: () => hasRead.promise.then(() => Promise.reject(gone)) } }
  })
  await expect(play()).rejects.toThrow('The group is gone.')
  expect(last()).toMatchObject({ failed: 'transient' })
})

/** A member that nobody else reads beside. */
const ALONE: Omit<InputGroup, 'run'> = {
  mayBegin: () => true,
  facts: (since) => facts({ group: { since, generation: undefined, partitions: [] } }).group,
  halt: () => {},
  finish: async () => {},
  commit: async () => {},
}
