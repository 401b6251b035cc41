// What is long or wide: the list of tables, and tables of many fields.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests, texts } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

function names(page: Page): Promise<string[]> {
  return texts(page, '#tables-grid tbody td:first-child')
}

it('lists tables by their last write, holds still where one points, and finds them by a filter', async () => {
  let now = Date.now()
  await using service = await startLocalService({ now: () => (now += 1000) })
  for (let n = 0; n < 12; n++) await push(service.url, { table: `t${n}` }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, '')
  const { page } = opened
  const newest = ['t11', 't10', 't9', 't8', 't7', 't6', 't5', 't4', 't3', 't2', 't1', 't0']
  await expect.poll(() => names(page)).toEqual(newest)
  await push(service.url, { table: 't3' }, [{ keys: ['id'], id: 2 }])
  const moved = ['t3', ...newest.filter((it) => it !== 't3')]
  await expect.poll(() => names(page)).toEqual(moved)
  await page.locator('#tables-grid td').first().hover()
  await push(service.url, { table: 't0' }, [{ keys: ['id'], id: 2 }])
  await expect.poll(() => texts(page, '#tables-grid tbody tr:last-child td:nth-child(2)')).toEqual(['2'])
  expect(await names(page)).toEqual(moved)
  await page.locator('#tables-filter').fill('T1')
  await expect.poll(() => names(page)).toEqual(['t11', 't10', 't1'])
  await page.locator('#tables-filter').fill('t7')
  // the one that is chosen stays
  await expect.poll(() => names(page)).toEqual(['t11', 't7'])
})

it('has the chosen table in sight, and a choice in its place where there is no room', async () => {
  await using service = await startLocalService()
  const long = `a_${'long_'.repeat(30)}name`
  for (let n = 0; n < 60; n++) await push(service.url, { table: `t${n}` }, [{ keys: ['id'], id: n }])
  await push(service.url, { table: long }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, 'tables?table=t0&client=7')
  const { page } = opened
  const chosen = page.locator('#tables-grid tr[aria-selected=true]')
  await expect.poll(() => chosen.innerText()).toMatch(/^t0\t/)
  const list = (await page.locator('.scroll:has(#tables-grid)').boundingBox())!
  const row = (await chosen.boundingBox())!
  expect([row.y >= list.y, row.y + row.height <= list.y + list.height + 1]).toEqual([true, true])
  const cell = page.locator('#tables-grid td', { hasText: long })
  expect((await cell.boundingBox())!.height).toBeLessThan(40)
  expect(await cell.getAttribute('title')).toBe(long)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.locator('#tables-grid').isVisible()).toBe(false)
  await page.locator('#tables-select').selectOption({ label: 't7: 1 row' })
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('t7, client 7')
  const head = (await page.locator('#rows-title').boundingBox())!
  expect(head.y).toBeLessThan(500)
})

it.each([1000, 1280, 1920])('shows the end of each name at %i pixels, where names begin alike', async (width) => {
  await using service = await startLocalService()
  for (let n = 10; n < 50; n++)
    await push(service.url, { table: `warehouse_public_orders_of_region_${n}` }, [{ keys: ['id'], id: n }])
  await using opened = await openPage(service.url, '', { viewport: { width, height: 900 } })
  const { page } = opened
  await page.locator('#tables-grid td').first().waitFor()
  const seen = (await page.evaluate(`[...document.querySelectorAll('#tables-grid td.name')].map((cell) => {
    const end = cell.querySelector('.ends > :last-child')
    const [outer, inner] = [cell.getBoundingClientRect(), end.getBoundingClientRect()]
    return inner.width > 0 && inner.left >= outer.left && inner.right <= outer.right ? end.textContent : 'cut'
  })`)) as string[]
  expect(seen.toSorted()).toEqual(Array.from({ length: 40 }, (_, at) => `of_region_${at + 10}`))
  expect(await texts(page, '#tables-grid th')).toEqual(['Table', 'Rows', 'Written'])
})

it('has what was written last on top, and marks it for some seconds', async () => {
  let now = Date.now() - 60_000
  await using service = await startLocalService({ now: () => now })
  await pushOrders(service.url, 200)
  now = Date.now()
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 7, item: 'new' }])
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await expect.poll(() => texts(page, '#rows-grid tr.fresh td:nth-child(2)')).toEqual(['7'])
  const ids = async (): Promise<string[]> => texts(page, '#rows-grid tbody td:nth-child(2)')
  expect((await ids()).slice(0, 3)).toEqual(['7', '200', '199'])
  now = Date.now()
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 150, item: 'newer' }])
  await expect.poll(async () => (await ids()).slice(0, 3)).toEqual(['150', '7', '200'])
  expect(await texts(page, '#tables-grid tr.fresh td:first-child')).toEqual(['orders'])
  await page.locator('#rows-grid th').nth(1).click()
  await expect.poll(async () => (await ids())[0]).toBe('1')
  await page.locator('#rows-grid th', { hasText: 'Written' }).click()
  await expect.poll(async () => (await ids())[0]).toBe('150')
  await page.evaluate('Date.now = () => 8e12')
  await expect.poll(() => page.locator('tr.fresh').count()).toBe(0)
})

it.each([390, 1280])('neither scrolls nor asks for a choice at %i pixels while it is empty', async (width) => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url, '', { viewport: { width, height: 900 } })
  const { page } = opened
  await page.locator('#tables-empty').waitFor()
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900)
  expect(await page.locator('#rows-card').isVisible()).toBe(false)
  await pushOrders(service.url, 1)
  await page.locator('#rows-grid td').first().waitFor()
})

it('has a toolbar of five, with Delete in a menu and red, and none for a table that is not there', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 60)
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await page.locator('#rows-grid td').first().waitFor()
  const controls = '#rows-bar > :is(button, [role=group]), #rows-bar > .search > *'
  expect(await page.locator(controls).count()).toBe(6)
  expect(await page.locator('#rows-remove').isVisible()).toBe(false)
  await page.locator('#rows-more').click()
  const colour = `getComputedStyle(document.querySelector('#rows-remove')).color`
  const [red = 0, green = 0, blue = 0] = String(await page.evaluate(colour))
    .match(/\d+/g)!
    .map(Number)
  expect([red > 150, green < 100, blue < 100]).toEqual([true, true, true])
  await page.goto(`${service.url}/_local/#/tables?table=nothing&client=7`)
  await expect.poll(() => page.locator('#rows-empty').innerText()).toContain('nothing was written to it yet')
  expect(await page.locator('#rows-bar').isVisible()).toBe(false)
})

it('has the keys of a wide table always in sight, and its other fields to be chosen', async () => {
  await using service = await startLocalService()
  const fields = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`f${at}`, `value ${at}`]))
  const row = (id: number): object => ({ ...fields, id, region: 'north', keys: ['region', 'id'] })
  await push(service.url, { table: 'wide' }, [row(1), row(2)])
  await using opened = await openPage(service.url, 'tables?table=wide&client=7')
  const { page } = opened
  const heads = (): Promise<string[]> => texts(page, '#rows-grid th')
  await expect.poll(async () => (await heads()).slice(0, 6)).toEqual(['#', 'id', 'region', 'Written ↓', 'JSON', 'f0'])
  expect(await page.locator('#rows-fields').innerText()).toBe('60 of 133 fields ▾')
  await page.evaluate(`document.querySelector('#rows-grid').parentElement.scrollLeft = 2000`)
  const left = async (nth: number): Promise<number> =>
    (await page.locator(`#rows-grid tbody tr:first-child td:nth-child(${nth})`).boundingBox())!.x
  const [first, id, region, written] = [await left(1), await left(2), await left(3), await left(4)]
  expect([first < id, id < region, region > 0, written < 0]).toEqual([true, true, true, true])
  await page.locator('#rows-fields').click()
  const box = (name: string) =>
    page.locator('#fields-list label', { hasText: new RegExp(`^${name}$`) }).locator('input')
  expect([await box('id').isDisabled(), await box('f129').isDisabled()]).toEqual([true, true])
  await box('f0').uncheck()
  await page.locator('#fields-find').fill('F129')
  expect(await texts(page, '#fields-list label:visible')).toEqual(['f129'])
  await box('f129').check()
  await expect.poll(async () => (await heads()).at(-1)).toBe('f129')
  expect(await heads()).not.toContain('f0')
  await page.reload()
  await expect.poll(async () => (await heads()).at(-1)).toBe('f129')
  await page.locator('#rows-fields').click()
  await page.locator('#fields-usual').click()
  await expect.poll(heads).toContain('f0')
  expect(new URL(page.url()).hash).toBe('#/tables?table=wide&client=7')
})
