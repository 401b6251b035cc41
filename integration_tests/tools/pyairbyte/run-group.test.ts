import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { workFolder } from '../../connector.ts'
import { runGroup } from './run-group.ts'

const never = new AbortController().signal
const options = { cwd: tmpdir(), env: process.env, signal: never }

it('says how a program ended and what it said', async () => {
  const done = await runGroup('sh', ['-c', 'echo out; echo err >&2; exit 3'], options)
  expect(done).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
  await expect(runGroup('/nowhere/program', [], options)).rejects.toThrow('ENOENT')
})

it('leaves nothing of what it started', async () => {
  await using work = await workFolder()
  const stop = new AbortController()
  // the first sleep holds on to the standard output: as long as it lives the run does not end
  const script = `sleep 600 & echo > ${work.path}/started; sleep 600`
  const running = runGroup('sh', ['-c', script], { ...options, signal: stop.signal })
  while (!existsSync(`${work.path}/started`)) await setTimeout(10)
  stop.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await expect(runGroup('sh', [], { ...options, signal: stop.signal })).rejects.toThrow('enough')
})
