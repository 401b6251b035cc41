// node run.ts --output FILE [--again file|whole] [--only PATH …] -- COMMAND …: runs a group of tests, or some of its files, and
// again what failed. FILE gets the results, with what turned out flaky. Exit 1 when something failed for good.

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runGroup } from './group.ts'

const AGAIN = { file: 'by file', whole: 'whole' } as const

const { values, positionals } = parseArgs({
  options: {
    output: { type: 'string' },
    again: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const { output, again, only } = values
if (output === undefined || positionals.length === 0 || !(again === undefined || again === 'file' || again === 'whole'))
  throw new Error('node run.ts --output FILE [--again file|whole] [--only PATH …] -- COMMAND …')

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const { ok, results, flaky } = await runGroup({
  command: positionals,
  only,
  ...(again === undefined ? {} : { again: AGAIN[again] }),
  root: fileURLToPath(new URL('../../../', import.meta.url)),
  say: (line) => console.log(line),
  signal: stopped.signal,
})
if (results !== undefined) await writeFile(output, JSON.stringify({ ...results, flaky }))
if (!ok) process.exitCode = 1
