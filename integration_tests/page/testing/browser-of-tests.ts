// A browser for the tests of one file, and pages in it that notice what no page of ours may do.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { startBrowser } from '../browser.ts'

export interface Watched {
  readonly page: Page
  /** What went wrong in it: errors in its console, requests to elsewhere, dialogs. */
  readonly troubles: string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** To be called by a file of tests before them: the browser is started before the first and closed after the last.
 *  @param args more of the browser's own command line */
export function browserOfTests(args: readonly string[] = []) {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser(args)
  })
  afterAll(() => browser.close())
  return {
    /** Of no service. */
    newPage: (): Promise<Page> => browser.newPage(),
    /** Opens the page of the local service at `url`, at `panel`; '': as one comes to it. Disposing it checks that nothing was wrong. */
    openPage: (url: string, panel = 'tables', options: BrowserContextOptions = {}): Promise<Watched> =>
      watchedPage(browser, url, panel, options),
  }
}

async function watchedPage(
  browser: Browser,
  url: string,
  panel: string,
  options: BrowserContextOptions,
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
