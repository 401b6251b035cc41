// What is long or wide: the list of tables, and tables of many fields.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { openPage, ownBrowser, texts } from './browser.ts'
import { push, pushOrders } from './push.ts'

const browser = ownBrowser()

function names(page: Page): Promise<string[]> {
  return texts(page, '#tables-grid tbody td:first-child')
}

it('lists tables by their last write, holds still where one points, and finds them by a filter', async () => {
  let now = Date.now()
  await using service = await startLocalService({ now: () => (now += 1000) })
  for (let n = 0; n < 12; n++) await push(service.url, { table: `t${n}` }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(browser, service.url, '')
  const { page } = opened
  const newest = ['t11', 't10', 't9', 't8', 't7', 't6', 't5', 't4', 't3', 't2', 't1', 't0']
  await expect.poll(() => names(page)).toEqual(newest)
  await push(service.url, { table: 't3' }, [{ keys: ['id'], id: 2 }])
  const moved = ['t3', ...newest.filter((it) => it !== 't3')]
  await expect.poll(() => names(page)).toEqual(moved)
  await page.locator('#tables-grid td').first().hover()
  await push(service.url, { table: 't0' }, [{ keys: ['id'], id: 2 }])
  await expect.poll(() => texts(page, '#tables-grid tbody tr:last-child td:nth-child(3)')).toEqual(['2'])
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
  await using opened = await openPage(browser, service.url, 'tables?table=t0&client=7')
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
  await page.locator('#tables-select').selectOption({ label: 't7, client 7: 1 row' })
  await expect.poll(() => page.locator('#rows-title').innerText()).toBe('t7, client 7')
  const head = (await page.locator('#rows-title').boundingBox())!
  expect(head.y).toBeLessThan(500)
})

it('has a toolbar of five, with Delete in a menu and red, and none for a table that is not there', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 60)
  await using opened = await openPage(browser, service.url, '')
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
  await using opened = await openPage(browser, service.url, 'tables?table=wide&client=7')
  const { page } = opened
  const heads = (): Promise<string[]> => texts(page, '#rows-grid th')
  await expect.poll(async () => (await heads()).slice(0, 6)).toEqual(['#', 'id', 'region', 'Written', 'JSON', 'f0'])
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
