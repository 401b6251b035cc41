import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import config from '../../rolldown.config.ts'
import { openPage, startBrowser, texts } from './browser.ts'
import { pushOrders } from './push.ts'

let browser: Browser
const folder = mkdtempSync(join(tmpdir(), 'local-service-bundle-'))

beforeAll(async () => {
  browser = await startBrowser()
})

afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
})

it('is in the bundle, with what the SQL box needs', async () => {
  const { output, ...input } = config as { output: object }
  await build({ ...input, output: { ...output, dir: folder } })
  for (const more of [[], ['--data', join(folder, 'rows.db')]]) {
    const serve = spawn(process.execPath, [join(folder, 'main.js'), 'serve', '--port', '0', ...more], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    serve.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await expect.poll(() => printed, { timeout: 20_000 }).toContain('Ctrl+C')
    const [, url] = /^ {2}page +(http:\S+)\/_local\/$/m.exec(printed)!
    await pushOrders(url!, 5)
    {
      await using opened = await openPage(browser, url!, 'sql')
      const { page } = opened
      await page.locator('#sql-text').fill('SELECT count(*), max(id) FROM orders')
      await page.locator('#sql-run').click()
      await expect.poll(() => texts(page, '#sql-grid td')).toEqual(['5', '5'])
    }
    serve.kill('SIGTERM')
    expect(await once(serve, 'close')).toEqual([0, null])
  }
})
