import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { startLocalService } from './start.ts'
import { memberOf, shownRow } from './table-pages.ts'
import { testFolder } from './testing/folder.ts'

interface Page {
  readonly total: number
  readonly rows: readonly { readonly n: number; readonly bytes: number; readonly fields: readonly { text: string }[] }[]
}

async function push(url: string, table: string, body: string, client = '7', key = 'demo-key'): Promise<void> {
  const answer = await fetch(`${url}/v2/client/${client}/table/${table}/data?apikey=${key}`, { method: 'POST', body })
  expect(answer.status).toBeLessThan(300)
}

it('gives pages of a table in both orders, from memory and from a file alike', async () => {
  using folder = testFolder()
  for (const options of [{}, { data: folder.file('rows.db') }]) {
    await using service = await startLocalService(options)
    const { url } = service
    for (let from = 0; from < 250; from += 50) {
      const points = Array.from({ length: 50 }, (_, index) => `{"keys":["id"],"id":${from + index}}`)
      await push(url, 't', `[${points.join()}]`)
      await push(url, 'other', '{"keys":["id"],"id":1}')
    }
    const page = async (query: string): Promise<Page> => {
      const answer = await fetch(`${url}/_local/tables/t/rows?${query}`)
      expect(answer.status, query).toBe(200)
      return (await answer.json()) as Page
    }
    const places = async (query: string): Promise<number[]> => (await page(query)).rows.map(({ n }) => n)
    expect(await places('count=3')).toEqual([1, 2, 3])
    expect(await places('count=3&order=newest')).toEqual([250, 249, 248])
    expect(await places('count=3&from=3&order=newest')).toEqual([247, 246, 245])
    expect(await places('count=3&from=248')).toEqual([249, 250])
    expect(await places('count=3&from=248&order=newest')).toEqual([2, 1])
    expect(await places('from=250')).toEqual([])
    expect(await places('from=999999999999999&order=newest')).toEqual([])
    expect(await places('')).toHaveLength(50)
    const { total, rows } = await page('count=1&from=7&client_id=7')
    expect([total, rows[0]!.fields.map(({ text }) => text)]).toEqual([250, ['["id"]', '7']])
    for (const query of [
      'count=0',
      'count=201',
      'count=x',
      'from=-1',
      'from=1e3',
      'order=last',
      'from=',
      'count=1.5',
    ]) {
      expect((await fetch(`${url}/_local/tables/t/rows?${query}`)).status, query).toBe(400)
    }
    expect((await fetch(`${url}/_local/tables/none/rows`)).status).toBe(404)
    expect((await fetch(`${url}/_local/tables/t/rows?client_id=8`)).status).toBe(404)
  }
})

it('gives the own bytes of one row, and of one value', async () => {
  await using service = await startLocalService({
    clients: [
      { id: 7, key: 'demo-key' },
      { id: 8, key: 'k' },
    ],
  })
  const row = '{"keys":["id"],  "id":1.10, "x":"<script>\\u0041"}'
  await push(service.url, 't', row)
  await push(service.url, 't', '{"keys":["id"],"id":5}', '8', 'k')
  const got = async (path: string): Promise<string> => {
    const answer = await fetch(`${service.url}/_local/tables/t/rows/${path}`)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    return answer.ok ? answer.text() : String(answer.status)
  }
  expect(await got('1?client_id=7')).toBe(row)
  expect(await got('1?client_id=8')).toBe('{"keys":["id"],"id":5}')
  expect(await got('1?client_id=7&member=1')).toBe('1.10')
  expect(await got('1?client_id=7&member=2')).toBe('"<script>\\u0041"')
  for (const path of ['0', '2', '-1', 'x', '1.0', '99999999999999999999', '1/2', '%zz']) {
    expect(await got(`${path}?client_id=7`), path).toBe('404')
  }
  for (const member of ['3', '-1', 'x', '']) expect(await got(`1?client_id=7&member=${member}`), member).toBe('404')
  expect(await got('1')).toBe('400')
})

it('tells of many large rows only their size', async () => {
  await using service = await startLocalService()
  const text = 'x'.repeat(3 * 1024 * 1024)
  for (let id = 0; id < 7; id++) await push(service.url, 't', `{"keys":["id"],"id":${id},"text":"${text}"}`)
  const answer = await (await fetch(`${service.url}/_local/tables/t/rows`)).text()
  expect(answer.length).toBeLessThan(10_000)
  const { rows } = JSON.parse(answer) as Page
  expect(rows.map(({ fields }) => fields.length)).toEqual([3, 3, 3, 3, 3, 0, 0])
})

it('shows the fields in their order, numbers as they are written, and strings as what they stand for', () => {
  const row = Buffer.from(
    String.raw`{"keys":["id"], "id" : 12345678901234567890, "price":1.10,"name":"a\u0000\n\"é😀","o":{ "a" : 1 },"t":true,"n":null,"":"","na\tme":[],"id":2}`,
  )
  const { n, bytes, fields, count } = shownRow(row, 5)
  expect([n, bytes, count]).toEqual([5, row.length, 10])
  expect(fields).toEqual([
    { name: 'keys', kind: 'array', text: '["id"]' },
    { name: 'id', kind: 'number', text: '12345678901234567890' },
    { name: 'price', kind: 'number', text: '1.10' },
    { name: 'name', kind: 'string', text: 'a\u0000\n"é😀' },
    { name: 'o', kind: 'object', text: '{ "a" : 1 }' },
    { name: 't', kind: 'boolean', text: 'true' },
    { name: 'n', kind: 'null', text: 'null' },
    { name: '', kind: 'string', text: '' },
    { name: 'na\tme', kind: 'array', text: '[]' },
    { name: 'id', kind: 'number', text: '2' },
  ])
  expect(Buffer.from(memberOf(row, 3)!).toString()).toBe(String.raw`"a\u0000\n\"é😀"`)
  expect(memberOf(row, 10)).toBeUndefined()
})

it('cuts what is long at whole characters and whole escapes', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '漢',
    '😀',
    String.raw`\n`,
    String.raw`\\`,
    String.raw`\u00e9`,
    String.raw`\ud83d\ude00`,
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 380, maxLength: 460 }), fc.boolean(), (pieces, isText) => {
      const value = isText ? `"${pieces.join('')}"` : JSON.stringify([pieces.join('')])
      const { fields } = shownRow(Buffer.from(`{"v":${value}}`), 1)
      const { text, cut } = fields[0]!
      const whole = isText ? (JSON.parse(value) as string) : value
      if (cut === undefined) expect(text).toBe(whole)
      else {
        expect(cut).toBe(Buffer.byteLength(value) - (isText ? 2 : 0))
        expect(whole.startsWith(text)).toBe(true)
        expect(Buffer.byteLength(value.slice(0, isText ? text.length : undefined))).toBeGreaterThan(50)
        expect(text).not.toContain('\ufffd')
      }
    }),
  )
})

it('shows a hundred fields, short names, and nothing of what is too large', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}${'x'.repeat(900)}`, index]))
  const { fields, count } = shownRow(Buffer.from(JSON.stringify(many)), 1)
  expect([fields.length, count]).toEqual([100, 500])
  expect(fields[99]!.name).toMatch(/^f99x+…$/)
  const large = Buffer.from(`{"v":"${'x'.repeat(5 * 1024 * 1024)}"}`)
  expect(shownRow(large, 1)).toEqual({ n: 1, bytes: large.length, fields: [], count: 0 })
  expect(shownRow(Buffer.from('{}'), 1)).toEqual({ n: 1, bytes: 2, fields: [], count: 0 })
})
