import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { startLocalService } from './start.ts'
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

it('gives pages by the last write, as a model has them, from memory and from a file alike', async () => {
  using folder = testFolder()
  const drawn = fc.array(fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12 })
  let table = 0
  let now = 1_000_000
  const options = { now: () => now }
  await using memory = await startLocalService(options)
  await using file = await startLocalService({ ...options, data: folder.file('written.db') })
  const model = async (pushes: readonly (readonly number[])[], from: number) => {
    const name = `t${++table}`
    const places = new Map<number, number>()
    const written = new Map<number, number>()
    for (const ids of pushes) {
      now += 1000
      for (const id of ids) {
        if (!places.has(id)) places.set(id, places.size + 1)
        written.set(id, now)
      }
      const points = ids.map((id) => `{"keys":["id"],"id":${id}}`)
      for (const { url } of [memory, file]) await push(url, name, `[${points.join()}]`)
    }
    const inOrder = [...places.keys()].sort(
      (a, b) => written.get(b)! - written.get(a)! || places.get(b)! - places.get(a)!,
    )
    const wanted = inOrder.slice(from, from + 5).map((id) => [places.get(id), written.get(id)])
    for (const { url } of [memory, file]) {
      const answer = await fetch(`${url}/_local/tables/${name}/rows?order=written&count=5&from=${from}`)
      const { rows, matched } = (await answer.json()) as {
        matched: number
        rows: readonly { n: number; written_at: number }[]
      }
      expect([matched, rows.map(({ n, written_at: at }) => [n, at])]).toEqual([places.size, wanted])
    }
  }
  await fc.assert(fc.asyncProperty(drawn, fc.nat(12), model), { numRuns: 60 })
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
  expect(await got('1?client_id=7&member=3')).toBe('404')
  for (const member of ['-1', 'x', '']) expect(await got(`1?client_id=7&member=${member}`), member).toBe('400')
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

const ROWS = [
  String.raw`{"keys":["id"],"id":1,"city":"Turin","price":10.50,"note":"=1+1"}`,
  String.raw`{"keys":["id"],"id":2,"city":"Z\u00fcrich","price":9,"note":"say \"hi\""}`,
  '{"keys":["id"],"id":3,"city":"turin","price":-2,"note":null,"more":{"a": [1.10]}}',
  '{"keys":["id"],"id":4,"city":"","price":"x","price":100}',
  String.raw`{"keys":["id"],"id":12345678901234567890,"city":"Rome, \nItaly","price":true}`,
]

it('searches, filters and sorts rows, from memory and from a file alike', async () => {
  using folder = testFolder()
  for (const options of [{}, { data: folder.file('rows.db') }]) {
    await using service = await startLocalService(options)
    for (const row of ROWS) await push(service.url, 't', row)
    const found = async (query: string): Promise<unknown> => {
      const answer = await fetch(`${service.url}/_local/tables/t/rows?${query}`)
      expect(answer.status, query).toBe(200)
      const { rows, matched, total } = (await answer.json()) as Page & { matched: number }
      expect(total).toBe(5)
      return [matched, ...rows.map(({ n }) => n)]
    }
    expect(await found('search=TURIN')).toEqual([2, 1, 3])
    expect(await found('search=turin&order=newest')).toEqual([2, 3, 1])
    expect(await found('search=turin&order=newest&from=1')).toEqual([2, 1])
    expect(await found('search=z%C3%BCrich')).toEqual([1, 2])
    expect(await found('search=567890')).toEqual([1, 5])
    expect(await found('search=Turin&field=city')).toEqual([1, 1])
    expect(await found('search=10.50&field=price')).toEqual([1, 1])
    expect(await found('search=100&field=price')).toEqual([1, 4])
    expect(await found('search=null&field=note')).toEqual([1, 3])
    expect(await found('search=&field=city')).toEqual([1, 4])
    expect(await found('search=x&field=none')).toEqual([0])
    expect(await found('sort=price')).toEqual([5, 3, 2, 1, 4, 5])
    expect(await found('sort=price&order=desc&count=2')).toEqual([5, 5, 4])
    expect(await found('sort=note&order=desc')).toEqual([5, 3, 2, 1, 4, 5])
    expect(await found('sort=city&search=turin')).toEqual([2, 1, 3])
    expect((await fetch(`${service.url}/_local/tables/t/rows?order=up`)).status).toBe(400)
    const { rows } = (await (await fetch(`${service.url}/_local/tables/t/rows`)).json()) as {
      rows: { written_at: number }[]
    }
    for (const { written_at } of rows) expect(Math.abs(Date.now() - written_at)).toBeLessThan(600_000)
  }
})

it('gives tables as JSON byte for byte and as CSV, whole or what is searched for', async () => {
  await using service = await startLocalService()
  for (const row of ROWS) await push(service.url, 't', row)
  const got = async (query: string): Promise<string> => (await fetch(`${service.url}/_local/tables/t?${query}`)).text()
  expect(await got('')).toBe(`[${ROWS.join(',\n')}]\n`)
  expect(await got('search=turin&sort=price&order=newest')).toBe(`[${ROWS[0]},\n${ROWS[2]}]\n`)
  expect(await got('search=nothing')).toBe('[]\n')
  expect((await got('format=csv')).split('\r\n')).toEqual([
    'id,city,price,note,more,keys',
    `1,Turin,10.50,'=1+1,,"[""id""]"`,
    `2,Zürich,9,"say ""hi""",,"[""id""]"`,
    `3,turin,-2,,"{""a"": [1.10]}","[""id""]"`,
    `4,"",100,,,"[""id""]"`,
    `12345678901234567890,"Rome, \nItaly",true,,,"[""id""]"`,
    '',
  ])
  expect(await got('format=csv&search=10.50&field=price')).toBe(
    `id,city,price,note,keys\r\n1,Turin,10.50,'=1+1,"[""id""]"\r\n`,
  )
  const answer = await fetch(`${service.url}/_local/tables/t?format=csv`)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  await answer.text()
  for (const query of ['format=xml', 'order=up']) expect(await got(query), query).toContain('"code":400')
  await push(service.url, 'odd', String.raw`{"keys":["@id"],"@id":"+1"," b":"\t","":" x"}`)
  expect(await (await fetch(`${service.url}/_local/tables/odd?format=csv`)).text()).toBe(
    `'@id," b","",keys\r\n'+1,"'\t"," x","[""@id""]"\r\n`,
  )
  const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']
  const formulas = Object.fromEntries(starts.map((start, at) => [`f${at}`, `${start}1`]))
  await push(service.url, 'formulas', JSON.stringify({ keys: ['f0'], ...formulas }))
  const [, line] = (await (await fetch(`${service.url}/_local/tables/formulas?format=csv`)).text()).split(
    /(?<=keys)\r\n/,
  )
  expect(line).toBe(`'=1,'+1,'-1,'@1,'\t1,"'\r1","'\n1",'＝1,'＋1,'－1,'＠1,"[""f0""]"\r\n`)
})

it('refuses parameters that it does not know, and those that are there twice', async () => {
  await using service = await startLocalService()
  await push(service.url, 't', ROWS[0]!)
  const reasons = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${service.url}/_local/tables/t${path}`)
    const body = (await answer.json()) as { reasons?: readonly string[] }
    return [answer.status, ...(body.reasons ?? [])]
  }
  expect(await reasons('/rows?serch=x')).toEqual([400, 'serch is unknown'])
  expect(await reasons('/rows?format=csv')).toEqual([400, 'format is unknown'])
  expect(await reasons('?count=1')).toEqual([400, 'count is unknown'])
  expect(await reasons('/rows/1?n=1')).toEqual([400, 'n is unknown'])
  const twice = 'client_id must be there once'
  expect(await reasons('/rows?client_id=7&client%5Fid=8')).toEqual([400, twice])
  expect(await reasons('?client_id=7&format=csv&client_id=7')).toEqual([400, twice])
  expect(await reasons('/rows?client_id=7&&search=&')).toEqual([200])
})

it('counts the fields of a wide table only for CSV', async () => {
  await using service = await startLocalService()
  const row = (at: number): string =>
    `{"keys":["id"],"id":${at},${Array.from({ length: 1100 }, (_, n) => `"f${at}_${n}":${n}`).join()}}`
  for (const at of [1, 2]) await push(service.url, 't', row(at))
  const get = async (path: string): Promise<Response> => fetch(`${service.url}/_local/tables/t${path}`)
  for (const query of ['search=1099', 'sort=id&order=desc']) {
    const { matched } = (await (await get(`/rows?${query}`)).json()) as { matched: number }
    expect(matched, query).toBe(2)
  }
  expect(await (await get('?search=1099')).text()).toBe(`[${row(1)},\n${row(2)}]\n`)
  const refused = await get('?format=csv')
  expect(await refused.json()).toMatchObject({
    code: 400,
    reasons: ['these rows have more than 2000 different fields'],
  })
  expect((await get('?format=csv&search=2&field=id')).status).toBe(200)
})

it('removes one table, those of a client, or all', async () => {
  const clients = [
    { id: 7, key: 'demo-key' },
    { id: 8, key: 'k' },
  ]
  await using service = await startLocalService({ clients })
  for (const table of ['a', 'b', 'c']) await push(service.url, table, '[{"keys":["id"],"id":1},{"keys":["id"],"id":2}]')
  await push(service.url, 'a', '{"keys":["id"],"id":1}', '8', 'k')
  const remove = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${service.url}/_local/tables${path}`, { method: 'DELETE' })
    const { tables, rows } = (await answer.json()) as { tables?: number; rows?: number }
    return [answer.status, tables, rows]
  }
  const left = (): string[] => service.tables().map(({ clientId, table }) => `${clientId}/${table}`)
  expect(await remove('/a?client_id=7')).toEqual([200, 1, 2])
  expect(await remove('/a?client_id=7')).toEqual([404, undefined, undefined])
  expect(await remove('/a')).toEqual([400, undefined, undefined])
  for (const path of [
    '?clientid=8',
    '?client_id=8&table=a',
    '?CLIENT_ID=8',
    '?=8',
    '?%FF=8',
    '/a?client_id=7&search=x',
  ])
    expect(await remove(path), path).toEqual([400, undefined, undefined])
  expect(await remove('?client_id=9')).toEqual([404, undefined, undefined])
  expect(left()).toEqual(['7/b', '7/c', '8/a'])
  expect(await remove('?client_id=8')).toEqual([200, 1, 1])
  expect(await remove('')).toEqual([200, 2, 4])
  expect(await remove('')).toEqual([200, 0, 0])
  await push(service.url, 'b', '{"keys":["id"],"id":5}')
  expect(service.rows('b', 7)).toEqual(['{"keys":["id"],"id":5}'])
})
