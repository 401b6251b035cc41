// The state of the view in the URL, and a value in both forms.

import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { push } from './push.ts'

const { openPage } = browserOfTests()

it('restores panel and search on reload, back and forward', async () => {
  await using service = await startLocalService()
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, '')
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
  await using opened = await openPage(service.url, 'sql?q=SELECT+1')
  expect(await opened.page.locator('#tables').isVisible()).toBe(true)
  expect(new URL(opened.page.url()).hash).toBe('#/tables')
})
