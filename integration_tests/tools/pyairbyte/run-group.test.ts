import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { workFolder } from '../../connector.ts'
import { runGroup } from './run-group.ts'

it('leaves nothing of what it started', async () => {
  await using work = await workFolder()
  const stop = new AbortController()
  const options = { cwd: work.path, env: process.env, signal: stop.signal }
  // the first sleep holds on to the standard output: as long as it lives the run does not end
  const script = `sleep 600 & echo > ${work.path}/started; sleep 600`
  const running = runGroup('sh', ['-c', script], options)
  while (!existsSync(`${work.path}/started`)) await setTimeout(10)
  stop.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await expect(runGroup('sh', [], options)).rejects.toThrow('enough')
})
