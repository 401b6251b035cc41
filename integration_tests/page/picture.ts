// The picture of docs/local-service.md: the page over a service that is at work, light on the left, dark on the right.

import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { startLocalService } from '../../src/local-service/start.ts'
import { startBrowser } from './browser.ts'
import { push } from './push.ts'

const VIEW = { width: 1280, height: 800 }
const PUSHES = 400

export async function makePicture(file: string): Promise<void> {
  let now = Date.now() - PUSHES * 300
  await using service = await startLocalService({ now: () => (now += 100) })
  for (let n = 0; n < PUSHES; n++)
    await push(service.url, { table: n % 4 === 0 ? 'customers' : 'orders' }, pointsOf(n, n % 4 === 0))
  service.fault({ table: 'orders', every: 50, answer: { status: 429, headers: { 'Retry-After': '2' } } })
  const browser = await startBrowser()
  const [light, dark] = [await shot(browser, service.url, 'light'), await shot(browser, service.url, 'dark')]
  const page = await browser.newPage({ viewport: VIEW })
  await page.setContent(`<style>body{margin:0;position:relative}img{position:absolute;top:0;left:0;width:${VIEW.width}px}
    img+img{clip-path:polygon(62% 0,100% 0,100% 100%,38% 100%)}</style>
    <img src="data:image/png;base64,${light.toString('base64')}"><img src="data:image/png;base64,${dark.toString('base64')}">`)
  await page.screenshot({ path: file })
  await browser.close()
  console.log(`${file} is written`)
}

async function shot(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const page = await browser.newPage({ viewport: VIEW, colorScheme })
  await page.goto(`${url}/_local/`)
  await page.locator('#tables-grid td', { hasText: 'orders' }).click()
  await page.locator('#rows-grid td').first().waitFor()
  await page.locator('#rows-title').click()
  await wait(500)
  return page.screenshot()
}

function pointsOf(from: number, isCustomers: boolean): readonly object[] {
  return Array.from({ length: 12 }, (_, index) => {
    const id = from * 12 + index + 1
    if (isCustomers) return { keys: ['id'], id, name: 'Grace', city: 'Turin' }
    const item = ['desk', 'lamp', 'chair', 'shelf', 'armchair'][id % 5]
    const price = Math.round((id % 97) * 1234.5) / 100
    return {
      keys: ['id'],
      id,
      item,
      price,
      paid: id % 3 === 0,
      address: { city: 'Turin', zip: `${10_121 + (id % 30)}` },
    }
  })
}
