// The example of docs/sources.md: it stores what it reads, goes on where it was, and ends at a record that is refused.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../src/commands/run.ts'
import { loadWriteConfig } from '../../src/config/write/write-load.ts'
import { startLocalService } from '../../src/local-service/start.ts'
import type { RunFacts } from '../../src/telemetry/run-facts.ts'
import { readPage } from '../cli/readme-commands.ts'
import { workFolder } from '../connector.ts'
import { ioOf, NO_INPUT, Said } from '../in-process.ts'
import { openLines } from './lines-source.ts'

const EXAMPLE = 'integration_tests/sources/lines-source.ts'

it('stands in docs as it is, in sixty lines', async () => {
  const [page, example] = await Promise.all([readPage('docs/sources.md'), readPage(EXAMPLE)])
  const shown = example.replaceAll("'../../src/", "'./src/")
  expect(page).toContain(shown)
  expect(shown.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})

it('stores its lines, goes on where it was, and says which one is refused', async () => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const file = join(work.path, 'visits.jsonl')
  const options = { import_url: service.url, client_id: 7, api_key: 'demo-key' }
  const { config } = loadWriteConfig(JSON.stringify(options), () => {})
  const said = new Said()
  const io = ioOf(NO_INPUT, said, said)
  let last: RunFacts | undefined
  const play = () =>
    run(
      {
        command: 'lines',
        noun: 'stream',
        files: [],
        reportFiles: {},
        log: async () => {},
        show: () => {},
        ended: async (facts) => void (last = facts),
        load: async () => ({
          service: { ...config.service, requestTimeoutMs: 5000, scrub: io.scrubber.scrub },
          limits: config.limits,
          reportLimits: [],
          open: (context) => openLines(file, context),
        }),
      },
      io,
    )
  const lines = Array.from({ length: 1200 }, (_, id) => `{"id":${id},"page":"/home"}\n`)
  await writeFile(file, lines.join(''))
  expect(await play()).toBe('complete')
  expect(last?.total.counts).toMatchObject({ records: 1200, written: 1200, rejected: 0 })
  expect(last?.tables).toMatchObject([{ table: 'visits', requests: 12, attempts: 12 }])
  expect(await readFile(`${file}.stored`, 'utf8')).toBe('1200')
  await writeFile(file, `${lines.join('')}{"id":1200}\n{"id":1201,"keys":["other"]}\n`)
  await expect(play()).rejects.toThrow(/^Line 1202 cannot be stored: .+ Correct it, and run again\.$/)
  expect(service.rows('visits')).toHaveLength(1201)
})
