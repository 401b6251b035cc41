// The state of the view in the URL, and a value in both forms.

import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { openPage, ownBrowser } from './browser.ts'
import { push } from './push.ts'

const browser = ownBrowser()

it('restores panel and search on reload, back and forward', async () => {
  await using service = await startLocalService()
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(browser, service.url, '')
  const { page } = opened
  const search = page.locator('#rows-search')
  const text = "'#&%+ 漢'"
  const hash = (): string => new URL(page.url()).hash
  await page.locator('#tab-requests').click()
  expect(hash()).toBe('#/requests')
  await page.locator('#tab-tables').click()
  await search.fill(text)
  await expect.poll(hash).toContain('search=')
  await page.reload()
  await expect.poll(() => search.inputValue()).toBe(text)
  await page.locator('#tab-faults').click()
  expect(hash()).toBe('#/faults')
  await page.goBack()
  expect([await search.isVisible(), await search.inputValue()]).toEqual([true, text])
  await page.goBack()
  expect(await page.locator('#requests').isVisible()).toBe(true)
  await page.goForward()
  expect([await search.isVisible(), await search.inputValue()]).toEqual([true, text])
  await page.locator('.skip').focus()
  await page.keyboard.press('Enter')
  await expect.poll(hash).toContain('#/tables?')
})

it('shows the tables where a link names a panel that is no more', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(browser, service.url, 'sql?q=SELECT+1')
  expect(await opened.page.locator('#tables').isVisible()).toBe(true)
  expect(new URL(opened.page.url()).hash).toBe('#/tables')
})

it('shows a row pretty and raw, with its own digits in both', async () => {
  await using service = await startLocalService()
  const row = String.raw`{"keys":["id"],  "id":1.10,"big":12345678901234567890,"e":{},"list":[1,[ ]],"text":"a\"{,\u00e9"}`
  await push(service.url, { table: 'orders' }, row)
  await using opened = await openPage(browser, service.url)
  const { page } = opened
  await page.locator('#tables-grid td', { hasText: 'orders' }).click()
  await page.locator('#rows-grid tbody button').first().click()
  const text = page.locator('#value-text')
  const pretty = String.raw`{
  "keys": [
    "id"
  ],
  "id": 1.10,
  "big": 12345678901234567890,
  "e": {},
  "list": [
    1,
    []
  ],
  "text": "a\"{,\u00e9"
}`
  await expect.poll(() => text.textContent()).toBe(pretty)
  await page.locator('#value-raw').click()
  expect(await text.textContent()).toBe(row)
  await page.locator('#value-pretty').click()
  expect(await text.textContent()).toBe(pretty)
})
