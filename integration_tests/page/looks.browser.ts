import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { openPage, ownBrowser } from './browser.ts'
import { weakTexts } from './contrast.ts'
import { push, pushOrders } from './push.ts'

const browser = ownBrowser()

const PANELS = ['tables', 'requests', 'faults', 'onboarding']
const PICTURES = mkdtempSync(join(tmpdir(), 'local-service-page-'))

it.each(['light', 'dark'] as const)(
  'is readable in %s from 360 to 1,600 pixels, and scrolls down only',
  async (scheme) => {
    await using service = await startLocalService()
    await pushOrders(service.url, 120)
    await push(service.url, { table: 'orders' }, 'no JSON')
    service.fault({ answer: { status: 503 } })
    await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
    service.fault({ table: 'orders', every: 3, answer: { status: 429, headers: { 'Retry-After': 2 } } })
    for (const width of [360, 390, 768, 1280, 1600]) {
      const options = { viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce' } as const
      await using opened = await openPage(browser, service.url, 'tables', options)
      const { page } = opened
      await page.locator('#rows-grid td').first().waitFor()
      await page.locator('#connect summary').click()
      for (const panel of PANELS) {
        await page.locator(`#tab-${panel}`).click()
        if (panel === 'onboarding') await page.locator('#clients-grid td').first().waitFor()
        await page.screenshot({ path: join(PICTURES, `${panel}-${scheme}-${width}.png`), fullPage: true })
        expect([panel, width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
          panel,
          width,
          width,
        ])
        const { looked, weak } = (await page.evaluate(weakTexts(4.5))) as { looked: number; weak: string[] }
        expect(looked).toBeGreaterThan(30)
        expect([panel, width, weak]).toEqual([panel, width, []])
      }
    }
    console.log(`pictures: ${PICTURES}`)
  },
)

it('is light or dark as the system is', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(browser, service.url, 'tables', { colorScheme: 'dark' })
  const { page } = opened
  const ground = async (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const dark = await ground()
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await ground()).not.toBe(dark)
})

it('moves nothing for those who want it still', async () => {
  await using service = await startLocalService()
  const moving = `[...document.querySelectorAll('*')].filter((it) => {
    const { transitionDuration, animationName } = getComputedStyle(it)
    return transitionDuration !== '0s' || animationName !== 'none'
  }).length`
  await using opened = await openPage(browser, service.url, 'tables', { reducedMotion: 'reduce' })
  expect(await opened.page.evaluate(moving)).toBe(0)
  await opened.page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await opened.page.evaluate(moving)).toBeGreaterThan(0)
})
