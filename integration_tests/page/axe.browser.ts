// Every panel and dialog of the page by the rules of axe-core (`npm run fetch:test-parts -- axe-core`), on a phone and at a desk.

import { existsSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { openPage, ownBrowser } from './browser.ts'
import { push, pushOrders } from './push.ts'

const browser = ownBrowser()
const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
/** Where everything is required its absence is a failure. */
const isLeftOut = !existsSync(AXE) && process.env['PAGE_REQUIRED'] !== '1'

/** What axe-core finds, each with where. */
async function findings(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  }
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]!.target.join(' ')} (of ${nodes.length}) ${nodes[0]!.failureSummary}`,
  )
}

it.skipIf(isLeftOut).each([
  [390, 'dark'],
  [390, 'light'],
  [768, 'dark'],
  [768, 'light'],
  [1280, 'dark'],
  [1280, 'light'],
] as const)('has nothing that axe-core finds, at %i pixels in %s', async (width, colorScheme) => {
  await using service = await startLocalService()
  await pushOrders(service.url, 60)
  await push(service.url, { table: 'orders' }, 'no JSON')
  service.fault({ table: 'orders', every: 3, answer: { status: 429 } })
  const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' } as const
  await using opened = await openPage(browser, service.url, 'tables', options)
  const { page } = opened
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const found: Record<string, string[]> = {}
  for (const panel of ['tables', 'requests', 'faults', 'onboarding']) {
    await page.locator(`#tab-${panel}`).click()
    if (panel === 'tables') {
      await page.locator('#connect summary').click()
    }
    if (panel !== 'faults')
      await page
        .locator(`#${{ tables: 'rows', requests: 'requests', onboarding: 'clients' }[panel]}-grid td`)
        .first()
        .waitFor()
    found[panel] = await findings(page)
  }
  await page.locator('#tab-requests').click()
  await page.locator('#requests-grid td').first().click()
  await page.locator('#value-text').waitFor()
  found['a request'] = await findings(page)
  await page.keyboard.press('Escape')
  await page.locator('#tab-tables').click()
  for (const menu of ['rows-fields', 'rows-export', 'rows-more']) {
    await page.locator(`#${menu}`).click()
    found[menu] = await findings(page)
    if (menu !== 'rows-more') await page.keyboard.press('Escape')
  }
  await page.locator('#rows-remove').click()
  found['a question'] = await findings(page)
  await page.keyboard.press('Escape')
  await page.locator('#tab-onboarding').click()
  await page.getByRole('button', { name: 'New key for imports of client 7' }).click()
  await page.locator('#key').waitFor()
  found['a key'] = await findings(page)
  expect(Object.values(found).flat()).toEqual([])
  expect(Object.keys(found)).toHaveLength(10)
})
