// The state of the view in the URL, and a value in both forms.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { openPage, startBrowser } from './browser.ts'
import { push } from './push.ts'

let browser: Browser

beforeAll(async () => {
  browser = await startBrowser()
})

afterAll(() => browser.close())

it('restores panel and SQL text on reload, back and forward', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(browser, service.url, '')
  const { page } = opened
  const sql = page.locator('#sql-text')
  const hash = (): string => new URL(page.url()).hash
  expect(hash()).toBe('#/tables')
  await page.locator('#tab-sql').click()
  await sql.fill("SELECT '#&%+ 漢'")
  await expect.poll(hash).toContain('q=SELECT')
  await page.reload()
  expect(await sql.inputValue()).toBe("SELECT '#&%+ 漢'")
  await page.locator('#tab-faults').click()
  expect(hash()).toBe('#/faults')
  await page.goBack()
  expect([await sql.isVisible(), await sql.inputValue()]).toEqual([true, "SELECT '#&%+ 漢'"])
  await page.goBack()
  expect(await page.locator('#tables').isVisible()).toBe(true)
  await page.goForward()
  expect([await sql.isVisible(), await sql.inputValue()]).toEqual([true, "SELECT '#&%+ 漢'"])
  await page.locator('.skip').focus()
  await page.keyboard.press('Enter')
  await expect.poll(hash).toContain('#/sql?q=')
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
