import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BROKER, checkLeave, giveLeave } from './leave.ts'

const here = (path: string): string => new URL(path, import.meta.url).href

it('is needed by tests alone, and lasts until it is taken back', () => {
  const ofProgram = {}
  checkLeave(BROKER, ofProgram)
  const ofTest: NodeJS.ProcessEnv = { VITEST: 'true' }
  expect(() => checkLeave(BROKER, ofTest)).toThrow('A test starts a Kafka broker only within describeOwnKafka')
  {
    using _outer = giveLeave(BROKER, ofTest)
    {
      using _inner = giveLeave(BROKER, ofTest)
      checkLeave(BROKER, ofTest)
    }
    checkLeave(BROKER, ofTest)
  }
  expect(() => checkLeave(BROKER, ofTest)).toThrow('describeOwnKafka')
  expect(ofTest).toEqual({ VITEST: 'true' })
})

it.each([
  ['./broker.ts', 'startBroker', 'A test starts a Kafka broker only within describeOwnKafka'],
  ['../registry/apicurio.ts', 'startApicurio', 'A test starts a schema registry only within describeApicurio'],
])('is asked for by %s, whose %s refuses a test that has none', async (path, name, message) => {
  const module = (await import(here(path))) as Record<string, () => Promise<unknown>>
  await expect(module[name]!()).rejects.toThrow(message)
})

it('is needed by the processes of a test too', async () => {
  const child = spawn(process.execPath, [fileURLToPath(here('./run.ts'))], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([code, said]).toEqual([1, expect.stringContaining('only within describeOwnKafka')])
})
