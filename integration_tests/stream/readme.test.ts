// The "Try it" of docs/stream.md, command by command as it stands there: a broker, records, check, stream, rows; and what that page
// shows of the check.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeOwnKafka } from '../kafka/available.ts'
import { AS_USER, blocks, freePort, readPage, shell, trying } from '../cli/readme-commands.ts'

const PAGE = 'docs/stream.md'
const HEADING = 'Try it'
const BROKER_PORT = '9092'

it('shows the config that is there', async () => {
  const sample = await readPage('spec/sample/stream.yaml')
  expect(blocks(await readPage(PAGE), 'Configuration', 'yaml')[0]).toBe(sample)
})

describeOwnKafka('the try-out', () => {
  it('works as it is written', async () => {
    await trying(async (adapted, work) => {
      const page = await readPage(PAGE)
      const port = await freePort()
      const here = (code: string): string => adapted(code).replaceAll(BROKER_PORT, port)
      await work.file('stream.yaml', here(await readFile(`${work.path}/stream.yaml`, 'utf8')))
      const [kafka, commands, curl, further] = blocks(page, HEADING, 'sh').map(here) as [string, string, string, string]
      const [env, produce, check, stream] = commands.trim().split('\n') as [string, string, string, string]

      await using _broker = await started(kafka, 'Kafka is at')
      expect(await shell(produce)).toBe('3 records are in the topic orders.\n')
      const shown = here(blocks(page, 'Checking before a start', 'text')[0]!)
      // a broker that has just begun may need longer for its first group than a check waits
      await expect.poll(() => shell(`${env}\n${check}`), { timeout: 90_000, interval: 1000 }).toBe(shown)
      await using running = await started(`${env}\nexec ${stream}`)
      const address = /'(http[^']*)'/.exec(curl)![1]!
      await expectRows(address, blocks(page, HEADING, 'json')[0]!)
      await shell(further)
      await expectRows(address, blocks(page, HEADING, 'json')[0]!.replace('240.00', '199.00'))
      expect(await running.interrupt()).toEqual([130, null])

      const [keep, read] = blocks(page, 'Dead letters', 'sh').map(here) as [string, string]
      const lines = keep.trim().split('\n')
      await shell(lines.slice(0, -1).join('\n'))
      await using keeping = await started(`${env}\nexec ${lines.at(-1)!}`)
      const letter = blocks(page, 'Dead letters', 'json').find((text) => text.startsWith('{\n'))!
      await expect.poll(async () => placeless(await shell(read)), { timeout: 60_000 }).toBe(placeless(letter))
      expect(await keeping.interrupt()).toEqual([130, null])
    })
  })

  it('takes the changes of a database as spec/sample/README.md says', async () => {
    await trying(async (adapted, work) => {
      const port = await freePort()
      const here = (code: string): string => adapted(code).replaceAll(BROKER_PORT, port)
      const config = await work.file('debezium.yaml', here(await readPage('spec/sample/debezium.yaml')))
      const produce = /`(node spec\/sample\/produce\.mjs [^`]*debezium\.jsonl)`/.exec(
        await readPage('spec/sample/README.md'),
      )![1]!
      await using _broker = await started(`exec npm run -s kafka -- --port ${port}`, 'Kafka is at')
      expect(await shell(here(produce))).toBe('5 records are in the topic shop.public.orders.\n')
      await using running = await started(
        `export ANALYTICS_API_KEY=demo-key\nexec node src/start.js stream --config ${config}`,
      )
      const [service] = /http:[^\s']*:\d+/.exec(await readFile(config, 'utf8'))!
      const rows = `[{"keys":["id"],"id":1,"item":"lamp","price":"19.90"},
{"keys":["id"],"id":2,"__deleted":true}]`
      await expectRows(`${service}/_local/tables/orders?client_id=7`, rows)
      expect(await running.interrupt()).toEqual([130, null])
    })
  })
})

/** Where and when it was read differs. */
function placeless(letter: string): string {
  return letter.replaceAll(/("dlq\.(?:partition|offset|timestamp)": )"\d+"/g, '$1"…"')
}

interface Running extends AsyncDisposable {
  /** As Ctrl-C does. @returns exit code and signal */
  interrupt(): Promise<unknown[]>
}

/** @param word to wait for on its standard output */
async function started(code: string, word?: string): Promise<Running> {
  const child = spawn('sh', ['-c', code], { ...AS_USER, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'close')
  const interrupt = async (): Promise<unknown[]> => {
    // all that the terminal would reach
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT')
    return ended
  }
  if (word !== undefined) await heard(child, word)
  else child.stdout.resume()
  return { interrupt, [Symbol.asyncDispose]: async () => void (await interrupt()) }
}

async function heard(child: ChildProcess, word: string): Promise<void> {
  let told = ''
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    told += String(chunk)
    if (told.includes(word)) {
      child.stdout!.resume()
      return
    }
  }
  throw new Error(`It ended without "${word}": ${told}`)
}

/** Rows come in the order they arrived, which partitions do not share. */
async function expectRows(address: string, expected: string): Promise<void> {
  const lines = (text: string): string[] =>
    text
      .trim()
      .slice(1, -1)
      .split(',\n')
      .toSorted((a, b) => (a < b ? -1 : 1))
  let found: string[] = []
  for (const end = performance.now() + 60_000; performance.now() < end; await wait(200)) {
    found = lines(await (await fetch(address)).text())
    if (JSON.stringify(found) === JSON.stringify(lines(expected))) return
  }
  expect(found).toEqual(lines(expected))
}
