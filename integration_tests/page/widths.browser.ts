// No view is wider than the window, and the head is one line: at the width of a phone, of a tablet and of a desk.

import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

const LONG = `a_name_of_${'many_'.repeat(40)}words`

it.each([
  [390, 'light'],
  [390, 'dark'],
  [768, 'light'],
  [768, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('has no view that is wider than %i pixels, in %s', async (width, colorScheme) => {
  await using service = await startLocalService()
  await pushOrders(service.url, 60)
  const fields = Object.fromEntries(Array.from({ length: 62 }, (_, at) => [`field_${at}`, 'x'.repeat(at * 3)]))
  await push(service.url, { table: LONG }, [{ keys: ['field_30', 'field_31'], [LONG]: 1, ...fields }])
  await push(service.url, { table: 'orders' }, `{"${LONG}":`)
  service.fault({ table: LONG, every: 3, answer: { status: 429 } })
  const options = { viewport: { width, height: 844 }, colorScheme, reducedMotion: 'reduce' } as const
  await using opened = await openPage(service.url, '', options)
  const { page } = opened
  const wider: string[] = []
  let views = 0
  /** What scrolls by itself may hold more than is seen; all else ends within the window. */
  const look = async (view: string): Promise<void> => {
    views++
    const found = (await page.evaluate(`[...document.querySelectorAll('body, body *')].filter((it) =>
      it.checkVisibility() && !it.closest('.scroll > *, pre > *, .skip') && it.getBoundingClientRect().right > ${width} + 0.5
    ).map((it) => it.id || it.className || it.tagName)`)) as string[]
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) found.push('the document')
    wider.push(...found.map((it) => `${view}: ${it}`))
  }
  const head = (await page.locator('.top').boundingBox())!
  expect(head.height).toBe(40)
  await page.locator('#rows-grid td').first().waitFor()
  await look('tables')
  await page.locator('#connect summary').click()
  await look('connect')
  await page.locator('#connect summary').click()
  await page.goto(`${service.url}/_local/#/tables?client=7&table=${LONG}`)
  await expect.poll(() => page.locator('#rows-fields').innerText()).toBe('60 of 64 fields ▾')
  await look('a wide table')
  for (const menu of ['fields', 'export', 'more']) {
    await page.locator(`#rows-${menu}`).click()
    await look(`the menu ${menu}`)
    await page.keyboard.press('Escape')
  }
  await page.locator('#rows-grid td button').first().click()
  await page.locator('#value-text').waitFor()
  await look('a row')
  await page.keyboard.press('Escape')
  await page.locator('#tab-requests').click()
  await page.locator('#requests-grid td').first().waitFor()
  await look('requests')
  await page.locator('#requests-grid td').first().click()
  await page.locator('#value-text').waitFor()
  await look('a request')
  await page.keyboard.press('Escape')
  await page.locator('#tab-faults').click()
  await look('faults')
  await page.locator('#tab-onboarding').click()
  await page.getByRole('button', { name: 'New key for imports of client 7' }).click()
  await page.locator('#key').waitFor()
  await look('a key')
  await page.keyboard.press('Escape')
  await look('onboarding')
  expect([views, wider]).toEqual([12, []])
})
