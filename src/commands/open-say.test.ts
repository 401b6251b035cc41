import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../process/output.ts'
import { Scrubber } from '../secrets/scrubber.ts'
import { openSay } from './open-say.ts'

async function saidAt(level: string | undefined): Promise<{ levels: string; text: string; hasRequests: boolean }> {
  const chunks: Buffer[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  const stdout = new Output(sink)
  const scrubber = new Scrubber(['hidden-key'])
  const { say, onExchange } = await openSay({ stdout, env: { LOG_LEVEL: level }, scrubber })
  for (const level of ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const) await say(level, 'words with hidden-key')
  onExchange?.({ method: 'GET', path: '/x', status: 200, failure: undefined, ms: 1, points: undefined, bytes: 0 })
  await stdout.flush()
  const text = Buffer.concat(chunks).toString()
  const levels = text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { log: { level: string } }).log.level)
  expect(text).not.toContain('hidden-key')
  return { levels: levels.join(), text, hasRequests: onExchange !== undefined }
}

test('LOG lines of the level asked for, and of graver ones', async () => {
  expect(await saidAt(undefined)).toMatchObject({ levels: 'INFO,WARN,ERROR', hasRequests: false })
  expect(await saidAt('debug')).toMatchObject({ levels: 'DEBUG,INFO,WARN,ERROR,DEBUG', hasRequests: true })
  expect(await saidAt('WARN')).toMatchObject({ levels: 'WARN,ERROR', hasRequests: false })
  expect(await saidAt('error')).toMatchObject({ levels: 'ERROR', hasRequests: false })
})

test('what is no level is said once, and not shown', async () => {
  const { levels, text } = await saidAt('loud')
  expect(levels).toBe('WARN,INFO,WARN,ERROR')
  expect(text.split('\n')[0]).toContain('LOG_LEVEL is none of debug, info, warn, error: info is taken.')
})
