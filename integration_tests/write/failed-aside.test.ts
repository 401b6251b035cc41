// Where standard output of `write` is a file or nothing, a failure and a misspelt --compare are said on standard error too, and
// nowhere twice.

import { execFile } from 'node:child_process'
import { link, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { MAIN, workFolder } from '../connector.ts'
import { argsOf, record } from './driver.ts'

/** By what the shell does with both outputs; `out`, `err` and `same` are files, of which `same` is another name of `out`. */
const CASES = [
  { outputs: '> out 2> err', says: true },
  { outputs: '>> out 2>> err', says: true },
  { outputs: '> /dev/null 2> err', says: true },
  { outputs: '2> err > out', says: true },
  { outputs: '> out 2>&1 | cat > err', says: false },
  { outputs: '2>&1 > out | cat > err', says: true },
  { outputs: '> out 2>> same', says: false },
  { outputs: '> out 2>&-', says: false },
  { outputs: '2> err | cat > out', says: false },
  { outputs: '2> err > /dev/full', says: false },
]

it.each(CASES)('says why it failed with $outputs: $says', async ({ outputs, says }) => {
  await using service = await startLocalService()
  await using work = await workFolder()
  const args = [...(await argsOf(service, work)), '--summary', 'new.json', '--compare', 'odl.json']
  const input = await work.file('in.jsonl', `${record('{"id":1}')}\n${record('{"no":"key"}')}\n`)
  for (const name of ['out', 'err', 'old.json']) await work.file(name, '')
  await link(`${work.path}/out`, `${work.path}/same`)
  const command = ['-c', `"$@" < "$INPUT" ${outputs}`, 'bash', process.execPath, MAIN, ...args]
  await new Promise((resolve) => {
    execFile('bash', command, { cwd: work.path, env: { ...process.env, INPUT: input } }, resolve)
  })
  const [out, err] = await Promise.all(['out', 'err'].map((name) => readFile(`${work.path}/${name}`, 'utf8')))
  const said = err!.match(/^Failed: .*key field.* Records stored: [01] of [012] read\. \[record\.rejected\]$/gm)
  expect(said?.length ?? 0).toBe(says ? 1 : 0)
  expect(err!.match(/^There is no file "odl\.json" .* Did you mean "old\.json"\?$/gm)?.length ?? 0).toBe(says ? 1 : 0)
  // standard output is the protocol's alone
  for (const line of out!.split('\n').slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('type')
  expect(out!.match(/"type":"TRACE"/g)?.length ?? 0).toBe(/\/dev/.test(outputs) ? 0 : 1)
})
