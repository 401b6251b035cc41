import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Output } from '../process/output.ts'
import { reportCommand } from './report.ts'
import { renderReport } from '../telemetry/report/report-render.ts'
import { aSummary } from '../telemetry/report/testing/report.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'report-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

function sink(): { output: Output; text: () => string } {
  const chunks: Buffer[] = []
  const write = (chunk: Buffer, _encoding: unknown, done: () => void): void => {
    chunks.push(chunk)
    done()
  }
  return { output: new Output(new Writable({ write })), text: () => Buffer.concat(chunks).toString() }
}

async function run(file: string): Promise<{ code: unknown; out: string; err: string }> {
  const [stdout, stderr] = [sink(), sink()]
  const code = await reportCommand(file, { stdout: stdout.output, stderr: stderr.output })
  await stderr.output.flush()
  return { code, out: stdout.text(), err: stderr.text() }
}

test('a summary becomes the page that the run would have left', async () => {
  const file = join(folder, 's.json')
  await writeFile(file, JSON.stringify(aSummary()))
  expect(await run(file)).toEqual({ code: 0, out: renderReport(aSummary()), err: '' })
})

test('what is no summary is said so', async () => {
  const file = join(folder, 's.json')
  await writeFile(file, '{"version":1}')
  expect(await run(file)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is no summary') as string })
  await writeFile(file, '<!doctype html>')
  const left = 'give the file that --summary FILE of write or stream left.\n'
  expect((await run(file)).err).toBe(`report: The file ${JSON.stringify(file)} is an HTML page, not a summary: ${left}`)
  await writeFile(file, '{"type":"LOG"}\n{"type":"LOG"}\n')
  expect((await run(file)).err).toContain(`holds messages of an input, not a summary: ${left}`)
  expect(await run(join(folder, 'x.json'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('no such file') as string,
  })
})
