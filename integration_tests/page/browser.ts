// A browser for the tests of one file, and pages in it that notice what no page of ours may do.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { findChromium } from './find-chromium.ts'

export interface Watched {
  readonly page: Page
  /** What went wrong in it: errors in its console, requests to elsewhere, dialogs. */
  readonly troubles: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Not in a sandbox of its own: tests run as root in containers too, and pages are ours. */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  const found = findChromium(process.env)
  if ('reason' in found) throw new Error(found.reason)
  return chromium.launch({ executablePath: found.path, args: ['--no-sandbox', ...args] })
}

/** What opens pages in a browser of this file's own. */
export function ownBrowser(): Pick<Browser, 'newContext' | 'newPage'> {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
    return () => browser.close()
  })
  return { newContext: (options) => browser.newContext(options), newPage: (options) => browser.newPage(options) }
}

/** Opens the page of the local service at `url`, at `panel`; '': as one comes to it. Disposing it checks that nothing was wrong. */
export async function openPage(
  browser: Pick<Browser, 'newContext'>,
  url: string,
  panel = 'tables',
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', (message) => {
    // what the service refuses the browser writes down as an error, whatever the page makes of it
    if (message.type() === 'error' && !/Failed to load resource.* 4\d\d /.test(message.text()))
      troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(String(error)))
  page.on('dialog', (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/_local/`)) troubles.push(`a request to ${request.url()}`)
  })
  await page.goto(`${url}/_local/${panel === '' ? '' : `#/${panel}`}`)
  await page.locator('#total-rows').waitFor()
  return {
    page,
    troubles,
    async [Symbol.asyncDispose]() {
      await context.close()
      expect(troubles).toEqual([])
    },
  }
}

export async function texts(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).allInnerTexts()
}

/** The document without the words on how to connect, where the key that everybody knows stands. */
export async function contentBesidesConnect(page: Page): Promise<string> {
  const content = await page.content()
  const besides = content.replace(/<details id="connect"[^]*?<\/details>/, '')
  expect(besides.length).toBeLessThan(content.length)
  return besides
}
