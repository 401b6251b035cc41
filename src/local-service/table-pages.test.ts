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
