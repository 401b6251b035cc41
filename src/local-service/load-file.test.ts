import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadFile } from './load-file.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import { MemoryStore, type Store } from './store.ts'
import { testFolder } from './testing/folder.ts'
import { rowsOf } from './testing/upserts.ts'

function rows(store: Store): string[] {
  return Array.from(rowsOf(store, 'orders'), ({ bytes }) => Buffer.from(bytes).toString())
}

/** Into a store of its own. */
async function loaded(content: string | Buffer, store: Store = new MemoryStore()): Promise<string[]> {
  using folder = testFolder()
  const file = folder.file('orders.jsonl')
  writeFileSync(file, content)
  const count = await loadFile({ table: 'orders', file }, 7, store, () => 0, undefined)
  expect(count).toBeGreaterThanOrEqual(rows(store).length)
  return rows(store)
}

it('stores each line byte for byte, the later of two equal ones', async () => {
  const points = [
    '{"keys":["id"],"id":1,"big":12345678901234567890,"p":1.10,"e":1e400}',
    '{"keys":["id"],"id":2,"text":"a\u2028b\u2029c\u0085é😀\\ud800"}',
    '{ "keys" : [ "id" ] , "id" : "3" }',
    '{"keys":["id"],"id":9007199254740993}',
    '{"keys":["id"],"id":9007199254740992}',
  ]
  const first = '{"keys":["id"],"id":1,"older":true}'
  for (const end of ['\n', '\r\n', '\n\n \t\n']) {
    for (const last of [end, '']) {
      expect(await loaded([first, ...points].join(end) + last)).toEqual(points)
      expect(await loaded(`\ufeff${[first, ...points].join(end)}${last}`)).toEqual(points)
    }
  }
  using folder = testFolder()
  using store = new SqliteStore(folder.file('x.db'))
  expect(await loaded([first, ...points].join('\n'), store)).toEqual(points)
})

it('loads nothing of nothing, and a line that is an array', async () => {
  for (const empty of ['', '\n', '\ufeff', '\ufeff\r\n', ' \n\t\n']) expect(await loaded(empty)).toEqual([])
  expect(await loaded('[{"keys":["id"],"id":1}, {"keys":["id"],"id":2}]')).toHaveLength(2)
})

it('loads what is larger than a piece of the file, lines that lie across pieces too', async () => {
  const points = Array.from({ length: 5000 }, (_, id) => `{"keys":["id"],"id":${id},"text":"${'é'.repeat(id % 400)}"}`)
  points[77] = `{"keys":["id"],"id":77,"text":"${'é'.repeat(1_000_000)}"}`
  expect(await loaded(points.join('\n'))).toEqual(points)
})

it('refuses what an upsert would be refused for, naming file and line', async () => {
  const good = '{"keys":["id"],"id":1}'
  const wrong: [string | Buffer, RegExp][] = [
    [`${good}\n\n{"id":2}\n`, /orders\.jsonl cannot be loaded, line 3 is refused: point 0: keys is missing/],
    [`${good}\nx`, /line 2 is refused: the body is not valid JSON \(at byte 0\)/],
    ['{"keys":["id"],"id":null}', /line 1 .* the key field "id" is null/],
    ['{"keys":["id"],"id":1}{"keys":["id"],"id":2}', /line 1 .*not valid JSON/],
    [Buffer.from('{"keys":["id"],"id":"\xff"}', 'latin1'), /line 1 .*not valid UTF-8/],
    [Buffer.from(`${good}\n`, 'utf16le'), /line 1 /],
    [`${good}\n\ufeff${good}`, /line 2 .*not valid JSON/],
    [`${good}\n7`, /line 2 .* a number/],
    [
      '{"streams":[]}',
      /line 1 is refused: it looks like a catalog, which is given to write --catalog: --load orders=FILE takes data points of table orders\. Each line must be a data point, an object with keys, such as \{/,
    ],
    ['{\n  "streams": [\n  ]\n}', /line 1 is refused: it looks like a catalog/],
    [`${good}\n{"streams":[]}`, /line 2 .*keys is missing/],
    [`[${Array(101).fill(good).join()}]`, /at most 100/],
  ]
  for (const [content, message] of wrong) {
    await expect(loaded(content), String(message)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(message),
    })
  }
})

it.each([
  [
    '{"item":"lamp","id":1}',
    /\{"keys":\["id"\],"id":1\}\. If "id" tells these rows apart, sed 's\/\{\/\{"keys":\["id"\],\/' FILE/,
  ],
  ['{"id":null,"order_id":"a"}', /If "order_id" tells/],
  ['{"\\u0069d":1}', /If "id" tells/],
  ['{"item":"lamp"}', /"id":1\}\.$/],
  ['{"id":{"a":1}}', /"id":1\}\.$/],
  ['{"keys":[],"id":1}', /keys is empty.*"id":1\}\.$/],
  ['{"id":1', /not valid JSON.*"id":1\}\.$/],
  ['[{"id":1}]', /"id":1\}\.$/],
])('offers a key for %s, where a field looks like one', async (line, message) => {
  await expect(loaded(line)).rejects.toMatchObject({ message: expect.stringMatching(message) })
})

it('says which file it cannot read', async () => {
  using folder = testFolder()
  for (const [file, message] of [
    [folder.file('none.jsonl'), /none\.jsonl cannot be loaded: there is no such file/],
    [folder.path, /it is a folder/],
  ] as const) {
    await expect(loadFile({ table: 't', file }, 7, new MemoryStore(), () => 0, undefined)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(message),
    })
  }
})

it('ends when it is told to', async () => {
  using folder = testFolder()
  const file = folder.file('orders.jsonl')
  writeFileSync(file, '{"keys":["id"],"id":1}\n'.repeat(100_000))
  const ending = new AbortController()
  const store = new MemoryStore()
  const put = store.upsert.bind(store)
  store.upsert = (...upsert) => {
    ending.abort()
    return put(...upsert)
  }
  await expect(loadFile({ table: 'orders', file }, 7, store, () => 0, ending.signal)).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect(rows(store)).toHaveLength(1)
})
