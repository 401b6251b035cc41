// Every panel, menu and dialog at the widths of phones, a tablet and desks, in both schemes: none is wider than the window, and none
// breaks a rule of axe-core (`npm run fetch:test-parts -- axe-core`), contrast of texts among them.

import { existsSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

const LONG = `a_name_of_${'many_'.repeat(40)}words`
const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
/** Where everything is required its absence is a failure. */
const hasAxe = existsSync(AXE) || process.env['PAGE_REQUIRED'] === '1'

/** What axe-core finds, each with where. */
async function broken(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  }
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]!.target.join(' ')} (of ${nodes.length}) ${nodes[0]!.failureSummary}`,
  )
}

/** What ends beyond the window; what scrolls by itself may hold more than is seen. */
async function wider(page: Page, width: number): Promise<string[]> {
  const found = (await page.evaluate(`[...document.querySelectorAll('body, body *')].filter((it) =>
    it.checkVisibility() && !it.closest('.scroll > *, pre > *, .skip') && it.getBoundingClientRect().right > ${width} + 0.5
  ).map((it) => it.id || it.className || it.tagName)`)) as string[]
  const whole = await page.evaluate('document.documentElement.scrollWidth')
  return whole === width ? found : [...found, `the document is ${String(whole)}`]
}

it.each([360, 390, 768, 1280, 1600].flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const]))(
  'has no view that is wider than %i pixels or hard to use, in %s',
  async (width, colorScheme) => {
    await using service = await startLocalService()
    await pushOrders(service.url, 60)
    const fields = Object.fromEntries(Array.from({ length: 62 }, (_, at) => [`field_${at}`, 'x'.repeat(at * 3)]))
    await push(service.url, { table: LONG }, [{ keys: ['field_30', 'field_31'], [LONG]: 1, ...fields }])
    await push(service.url, { table: 'orders' }, `{"${LONG}":`)
    service.fault({ answer: { status: 503 } })
    await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
    service.fault({ table: LONG, every: 3, answer: { status: 429, headers: { 'Retry-After': 2 } } })
    const options = { viewport: { width, height: 844 }, colorScheme, reducedMotion: 'reduce' } as const
    await using opened = await openPage(service.url, '', options)
    const { page } = opened
    const isTried = hasAxe && [390, 768, 1280].includes(width)
    if (isTried) await page.evaluate(readFileSync(AXE, 'utf8'))
    const wrong: string[] = []
    let views = 0
    const look = async (view: string): Promise<void> => {
      views++
      const found = [...(await wider(page, width)), ...(isTried ? await broken(page) : [])]
      wrong.push(...found.map((it) => `${view}: ${it}`))
    }
    const head = (await page.locator('.top').boundingBox())!
    expect(head.height).toBe(40)
    await page.locator('#rows-grid td').first().waitFor()
    await look('tables')
    await page.locator('#connect summary').click()
    await look('connect')
    await page.locator('#connect summary').click()
    await page.evaluate(`location.hash = '#/tables?client=7&table=${LONG}'`)
    await expect.poll(() => page.locator('#rows-fields').innerText()).toBe('60 of 64 fields ▾')
    await look('a wide table')
    for (const menu of ['fields', 'export', 'more']) {
      await page.locator(`#rows-${menu}`).click()
      await look(`the menu ${menu}`)
      if (menu !== 'more') await page.keyboard.press('Escape')
    }
    await page.locator('#rows-remove').click()
    await look('a question')
    await page.keyboard.press('Escape')
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
    expect([views, wrong]).toEqual([13, []])
  },
  // what axe-core looks at takes its time
  180_000,
)

it('is light or dark as the system is, and moves nothing for those who want it still', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url, 'tables', { colorScheme: 'dark', reducedMotion: 'reduce' })
  const { page } = opened
  const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const dark = await ground()
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await ground()).not.toBe(dark)
  const moving = `[...document.querySelectorAll('*')].filter((it) => {
    const { transitionDuration, animationName } = getComputedStyle(it)
    return transitionDuration !== '0s' || animationName !== 'none'
  }).length`
  expect(await page.evaluate(moving)).toBe(0)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await page.evaluate(moving)).toBeGreaterThan(0)
})
