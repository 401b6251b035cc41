import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { pushOrders } from './push.ts'

const { openPage } = browserOfTests()

/** What has the focus: its id, or what it says; and whether it can be seen that it has it. */
const FOCUSED = `(() => {
  const it = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(it)
  const name = it.id || (it.ariaLabel ?? it.textContent).trim().slice(0, 40)
  return { name, visible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 }
})()`

async function focused(page: Page): Promise<string> {
  const { name, visible } = (await page.evaluate(FOCUSED)) as { name: string; visible: boolean }
  expect([name, visible]).toEqual([name, true])
  return name
}

async function press(page: Page, ...keys: readonly string[]): Promise<string> {
  for (const key of keys) await page.keyboard.press(key)
  return focused(page)
}

it('is walked with the keyboard alone, and always shows where one is', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 120)
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await page.locator('#tables-grid td').first().waitFor()
  expect(await press(page, 'Tab')).toBe('Skip to the panels')
  expect(await press(page, 'Tab')).toBe('tab-tables')
  expect(await press(page, 'ArrowRight')).toBe('tab-requests')
  expect(await press(page, 'End')).toBe('tab-onboarding')
  expect(await press(page, 'ArrowRight')).toBe('tab-tables')
  expect(await page.locator('#tables').isVisible()).toBe(true)
  expect(await press(page, 'Tab')).toMatch(/^Connect /)
  expect(await press(page, 'Tab')).toBe('More of all tables')
  expect(await press(page, 'Tab')).toBe('orders')
  expect(await press(page, 'ArrowRight')).toBe('120')
  await press(page, 'Enter')
  await page.locator('#rows-grid td').first().waitFor()
  // those that go back are disabled
  const bar = ['fields', 'field', 'search', 'next', 'last', 'export', 'more']
  for (const name of bar) expect(await press(page, 'Tab')).toBe(`rows-${name}`)
  expect(await press(page, 'Tab')).toBe('120')
  expect(await press(page, 'ArrowDown', 'ArrowRight')).toBe('119')
  await press(page, 'Control+End')
  expect(await press(page, 'Control+Home')).toBe('120')
  await press(page, 'PageDown')
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('51 to 100 of 120 rows, last written first')
  expect(await focused(page)).toBe('70')
  await press(page, 'PageUp')
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('1 to 50 of 120 rows, last written first')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('#value').isVisible()).toBe(true)
  expect(await page.locator('#value-text').textContent()).toContain('"id": 120')
  await page.keyboard.press('Escape')
  expect(await focused(page)).toBe('120')
})

it('has its menus, the fields and a request’s neighbours by the keyboard alone', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 120)
  await using opened = await openPage(service.url, '')
  const { page } = opened
  await page.locator('#rows-grid td').first().waitFor()
  await page.locator('#rows-fields').focus()
  expect(await press(page, 'Enter', 'Tab')).toMatch(/^(?:fields-list|)$/)
  await page.locator('#fields-list input:enabled').first().focus()
  await press(page, 'Space')
  await expect.poll(() => page.locator('#rows-fields').innerText()).toBe('6 of 7 fields ▾')
  expect(await page.locator('#fields-menu').isVisible()).toBe(true)
  expect(await press(page, 'Escape')).toBe('rows-fields')
  await page.locator('#rows-export').focus()
  expect(await press(page, 'Enter', 'Tab')).toBe('rows-json')
  expect(await press(page, 'Escape', 'Tab')).toBe('rows-more')
  expect(await press(page, 'Enter', 'Tab')).toBe('rows-order')
  expect(await press(page, 'Tab', 'Tab', 'Tab')).toBe('rows-remove')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('#confirm').isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await focused(page)).toBe('rows-more')
  await page.locator('#tab-requests').focus()
  await page.keyboard.press('Enter')
  await page.locator('#requests-grid td').first().waitFor()
  await page.locator('#requests-pause').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('#value-text').waitFor()
  await page.locator('#value-older').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).hash).toBe('#/requests?request=1')
})

it('keeps one’s place in requests while more come', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 1)
  await using opened = await openPage(service.url, 'requests')
  const { page } = opened
  await page.locator('#requests-grid td').first().click()
  await page.locator('#value').waitFor()
  await pushOrders(service.url, 1)
  await expect.poll(() => page.locator('#total-requests').innerText()).toBe('2')
  await page.keyboard.press('Escape')
  const before = await press(page, 'ArrowRight')
  await pushOrders(service.url, 5)
  await expect.poll(() => page.locator('#total-requests').innerText()).toBe('3')
  expect(await focused(page)).toBe(before)
  expect(await page.locator('#requests-grid tbody tr').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.locator('#tab-requests').focus()
  await expect.poll(() => page.locator('#requests-grid tbody tr').count()).toBe(3)
})
