import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from '../process/testing/own-folder.ts'
import { Said } from '../process/testing/said.ts'
import { renderReport } from '../telemetry/report/report-render.ts'
import { aSummary } from '../telemetry/report/testing/report.ts'
import { reportCommand } from './report.ts'

const folder = ownFolder('test')

async function run(file: string): Promise<{ code: unknown; out: string; err: string }> {
  const [stdout, stderr] = [new Said(), new Said()]
  const code = await reportCommand(file, { stdout: stdout.output, stderr: stderr.output })
  return { code, out: await stdout.text(), err: await stderr.text() }
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
