// `write`: records on standard input, with a STATE behind every few.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { start, workFolder } from '../connector.ts'
import { record, state, stream } from '../write/driver.ts'
import { KEY, Running, TABLE, type Door, type Entrance, type Plan } from './door.ts'

const STATE_EVERY = 50

export const airbyteDoor: Door = { name: 'Airbyte', open }

async function open({ url, records, config, keepsRejects }: Plan): Promise<Entrance> {
  await using stack = new AsyncDisposableStack()
  const work = stack.use(await workFolder())
  const path = join(work.path, 'rejects.jsonl')
  const own = { import_url: url, client_id: 7, api_key: KEY }
  const kept = keepsRejects ? { rejected_records: { policy: 'file', path } } : {}
  const configFile = await work.file('config.json', { ...own, ...kept, ...config })
  const catalogFile = await work.file('catalog.json', { streams: [stream(TABLE)] })
  const runs: Running[] = []
  const covered = (): number => {
    const states = runs.flatMap(({ lines }) => lines.flatMap((line) => /"stream_state":(\d+)/.exec(line)?.[1] ?? []))
    return Number(states.at(-1) ?? 0)
  }
  const disposed = stack.move()
  return {
    folder: work.path,
    place: /input line \d+/,
    start(...args) {
      const from = covered()
      const child = start(['write', '--config', configFile, '--catalog', catalogFile, ...args])
      const running = new Running(child)
      runs.push(running)
      const lines = records.slice(from).map(({ data }, index) => {
        const at = from + index + 1
        const isLast = at === records.length
        return `${record(data, TABLE)}\n${at % STATE_EVERY === 0 || isLast ? `${state(`${at}`, TABLE)}\n` : ''}`
      })
      child.stdin!.write(lines.join(''))
      return Promise.resolve(running)
    },
    covered: () => Promise.resolve([...Array(covered()).keys()]),
    async finish(running) {
      running.child.stdin!.end()
      expect(await running.ended, running.toString()).toBe(0)
      expect(covered()).toBe(records.length)
      return 'done'
    },
    async rejects() {
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
      return lines.map((line) => JSON.stringify((JSON.parse(line) as { record: { data: object } }).record.data))
    },
    [Symbol.asyncDispose]: () => disposed[Symbol.asyncDispose](),
  }
}
