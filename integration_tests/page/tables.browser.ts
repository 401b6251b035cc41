// Tables: how one connects, finds, sorts, exports and deletes rows, and what the URL keeps of it.

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests, texts } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

function hash(page: Page): string {
  return new URL(page.url()).hash
}

it('says how to connect, with the key that everybody knows', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url, '', { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = opened
  await expect.poll(() => page.locator('#connect-facts').innerText()).toBe(`${service.url} · client 7 · key demo-key`)
  const config = { import_url: service.url, client_id: 7, api_key: 'demo-key' }
  expect(JSON.parse(await page.locator('#connect-config').innerText())).toEqual(config)
  await page.locator('[data-copy=connect-curl]').click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const command = (await page.evaluate('navigator.clipboard.readText()')) as string
  const [, url, body] = /^curl '(.*)' [^]* -d '(.*)'$/.exec(command)!
  expect((await fetch(url!, { method: 'POST', body: body! })).status).toBe(201)
  await expect.poll(() => texts(page, '#rows-grid tbody td:last-child')).toEqual(['["id"]'])
})

it('shows no key that was given, and none of a client that a link names', async () => {
  await using service = await startLocalService({ clients: [{ id: 9, key: 'own-key-123' }] })
  await push(service.url, { table: 'orders', client: 9, key: 'own-key-123' }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await expect.poll(() => page.locator('#connect-facts').innerText()).toContain('client 9 · key the one given to serve')
  for (const panel of ['requests', 'tables']) {
    await page.locator(`#tab-${panel}`).click()
    expect(await page.content()).not.toMatch(/own-key|demo-key/)
  }
})

it('opens the table that was written last, and the one that a link names', async () => {
  let now = Date.now()
  await using service = await startLocalService({ now: () => (now += 1000) })
  for (const table of ['a', 'b', 'c', 'b']) await push(service.url, { table }, [{ keys: ['id'], id: table }])
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('b, client 7')
  expect(hash(page)).toBe('#/tables?table=b&client=7')
  await page.locator('#tables-grid td', { hasText: 'a' }).first().click()
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('a, client 7')
  await page.goBack()
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('b, client 7')
  await page.goto(`${service.url}/_local/#/tables?table=c`)
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('c, client 7')
  await page.goto(`${service.url}/_local/#/tables?table=none&client=7`)
  await expect.poll(() => page.locator('#rows-empty').innerText()).toContain('no table of that name')
  await page.locator('#tables-grid tr[aria-selected=false]').first().waitFor()
})

it('sorts, searches and filters by keyboard, keeps that in the URL, and exports what is found', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 120)
  await using opened = await openPage(service.url, '')
  const { page } = opened
  const place = page.locator('#rows-place')
  const ids = async (): Promise<string[]> => texts(page, '#rows-grid tbody td:nth-child(2)')
  await expect.poll(() => place.innerText()).toBe('1 to 50 of 120 rows, last written first')
  await page.locator('#rows-grid td').first().focus()
  for (const key of ['ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter'])
    await page.keyboard.press(key)
  await expect.poll(ids).toEqual(Array.from({ length: 50 }, (_, at) => String(at + 1)))
  expect(await page.locator('#rows-grid th[aria-sort=ascending]').innerText()).toBe('price ↑')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await ids())[0]).toBe('120')
  expect(await page.locator('#rows-order').inputValue()).toBe('desc:price')
  await page.locator('#rows-search').fill('LAMP')
  await expect.poll(() => place.innerText()).toBe('1 to 24 of 24 that match, 120 rows in all')
  await page.reload()
  await expect.poll(() => place.innerText()).toBe('1 to 24 of 24 that match, 120 rows in all')
  expect([await page.locator('#rows-search').inputValue(), (await ids())[0]]).toEqual(['LAMP', '117'])
  await page.locator('#rows-field').selectOption('item')
  await expect.poll(() => page.locator('#rows-empty').innerText()).toBe('None of 120 rows match.')
  await page.locator('#rows-search').fill('lamp')
  await expect.poll(async () => (await ids())[0]).toBe('117')
  for (const [format, start] of [
    ['csv', 'id,item,price,customer,paid,note,keys\r\n2,lamp,'],
    ['json', '[{"keys":["id"],"id":2,"item":"lamp",'],
  ] as const) {
    await page.locator('#rows-export').click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`#rows-${format}`).click()])
    expect(download.suggestedFilename()).toBe(`orders.${format}`)
    const text = readFileSync(await download.path(), 'utf8')
    expect([text.slice(0, start.length), text.trim().split('\n').length]).toEqual([start, format === 'csv' ? 25 : 24])
  }
  await page.locator('#rows-more').click()
  await page.locator('#rows-order').selectOption('first')
  await expect.poll(async () => (await ids())[0]).toBe('2')
  await page.goBack()
  await expect.poll(async () => (await ids())[0]).toBe('117')
})

it('deletes a table, and all, when that is confirmed', async () => {
  await using service = await startLocalService()
  for (const table of ['a', 'b', 'c']) await push(service.url, { table }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, 'tables?table=b&client=7')
  const { page } = opened
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('b, client 7')
  await page.locator('#rows-more').click()
  await page.locator('#rows-remove').click()
  expect(await page.locator('#confirm-text').innerText()).toBe('Delete the table b of client 7 with all its rows?')
  await page.keyboard.press('Escape')
  expect(service.rows('b')).toHaveLength(1)
  await page.locator('#rows-more').click()
  await page.locator('#rows-remove').click()
  await page.locator('#confirm').getByRole('button', { name: 'Keep' }).click()
  expect(service.tables()).toHaveLength(3)
  await page.locator('#rows-more').click()
  await page.locator('#rows-remove').click()
  await page.locator('#confirm').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => service.tables().map(({ table }) => table)).toEqual(['a', 'c'])
  await expect.poll(() => page.locator('#rows-title').innerText()).toMatch(/^[ac], client 7$/)
  await page.goto(`${service.url}/_local/#/tables?table=c&client=7&search=1&field=id&order=asc:id&from=50`)
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('c, client 7')
  await page.getByRole('button', { name: 'More of all tables' }).click()
  await page.locator('#tables-remove').click()
  expect(await page.locator('#confirm-text').innerText()).toMatch(/^Delete all tables with their 2 rows\?/)
  await page.locator('#confirm').getByRole('button', { name: 'Delete' }).click()
  await page.locator('#tables-empty').waitFor()
  expect(service.tables()).toEqual([])
  expect(await page.locator('#rows-bar').isVisible()).toBe(false)
  expect(hash(page)).toBe('#/tables')
})

it('filters by fields whose names are empty or begin alike, and keeps the list of them when nothing matches', async () => {
  await using service = await startLocalService()
  const long = 'n'.repeat(300)
  const row = { keys: ['id'], id: 1, '': 'none', '=': 'sign', [`${long}a`]: 'first', [`${long}b`]: 'second' }
  await push(service.url, { table: 't' }, [row, { keys: ['id'], id: 2, '': 'other' }])
  await using opened = await openPage(service.url, 'tables?table=t&client=7')
  const { page } = opened
  const place = page.locator('#rows-place')
  const field = page.locator('#rows-field')
  await expect.poll(() => place.innerText()).toBe('1 to 2 of 2 rows, last written first')
  expect(await texts(page, '#rows-grid th')).toHaveLength(9)
  const options = await texts(page, '#rows-field option')
  const drawn = `${long.slice(0, 200)}… is`
  expect(options).toEqual(['any field has', 'id is', '"" is', '= is', drawn, drawn, 'keys is'])
  for (const [index, text] of ['none', 'sign', 'first', 'second'].entries()) {
    await field.selectOption({ index: index + 2 })
    await page.locator('#rows-search').fill('no such')
    await expect.poll(() => page.locator('#rows-empty').innerText()).toBe('None of 2 rows match.')
    expect(await texts(page, '#rows-field option')).toEqual(options)
    await page.locator('#rows-search').fill(text)
    await expect.poll(() => place.innerText()).toBe('1 to 1 of 1 that match, 2 rows in all')
    await page.locator('#rows-grid td', { hasText: text }).waitFor()
  }
  await page.goto(`${service.url}/_local/#/tables?table=t&client=7&field=%3D&search=other`)
  await expect.poll(() => texts(page, '#rows-grid tbody td:first-child')).toEqual(['2'])
})

it('says why a table cannot be downloaded', async () => {
  await using service = await startLocalService()
  const wide = Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`f${at}`, at]))
  await push(service.url, { table: 'wide' }, [{ keys: ['f0'], ...wide }])
  await using opened = await openPage(service.url, 'tables?table=wide&client=7&search=2000')
  const { page } = opened
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('1 to 1 of 1 that match, 1 row in all')
  await page.locator('#rows-export').click()
  await page.locator('#rows-csv').click()
  const error = page.locator('#rows-error')
  const reason = 'No CSV: these rows have more than 2000 different fields.'
  await expect.poll(() => error.innerText()).toBe(reason)
  await page.locator('#rows-export').click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#rows-json').click()])
  expect(readFileSync(await download.path(), 'utf8')).toContain('"f2000":2000')
  expect(await error.isVisible()).toBe(false)
})
