// What other programs read in the data file while the service writes into it.

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startLocalService } from '../start.ts'
import { testFolder } from '../testing/folder.ts'

const ASK = `const [file, sql] = process.argv.slice(1)
  const db = new (require('node:sqlite').DatabaseSync)(file, { readOnly: true })
  for (const row of db.prepare(sql).all()) console.log(Object.values(row).join('|'))`

/** The program sqlite3 where there is one, and everywhere the SQLite in Node, in a process of its own. Both print a row a line. */
const PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['Node', [process.execPath, '-e', ASK]],
  ...(spawnSync('sqlite3', ['--version']).status === 0 ? [['sqlite3', ['sqlite3']] as const] : []),
]

async function upsert(url: string, table: string, point: object): Promise<void> {
  const answer = await fetch(`${url}/v2/client/7/table/${table}/data?apikey=demo-key`, {
    method: 'POST',
    body: JSON.stringify([{ keys: ['id'], ...point }]),
  })
  expect(answer.status).toBe(201)
}

it.each(PROGRAMS)('are views that %s asks in SQL while rows and fields are added', async (_, [program, ...options]) => {
  using folder = testFolder()
  const file = folder.file('rows.db')
  await using service = await startLocalService({ data: file })
  const ask = async (sql: string): Promise<string[]> => {
    const { stdout } = await promisify(execFile)(program!, [...options, file, sql])
    return stdout.split('\n').slice(0, -1)
  }
  let written = 0
  const asked = new AbortController()
  const writing = (async () => {
    for (; !asked.signal.aborted; written++) await upsert(service.url, 'orders', { id: written })
  })()
  try {
    for (let round = 1; round <= 4; round++) {
      const column = `"é '${round}'"`
      await upsert(service.url, 'orders', { id: `new ${round}`, [`é '${round}'`]: round })
      const before = written
      const [row] = await ask(
        `SELECT (SELECT count(*) FROM orders), id, ${column} FROM orders WHERE ${column} IS NOT NULL`,
      )
      const [count, ...found] = row!.split('|')
      expect(found).toEqual([`new ${round}`, String(round)])
      expect(Number(count)).toBeGreaterThanOrEqual(before + round)
    }
  } finally {
    asked.abort()
    await writing
  }
  await upsert(service.url, 'Orders', { id: 'O' })
  await upsert(service.url, 'select', { id: 's' })
  const all = 'SELECT count(*) FROM orders UNION ALL SELECT id FROM "Orders.7" UNION ALL SELECT id FROM "select"'
  expect(await ask(all)).toEqual([String(written + 4), 'O', 's'])
})
