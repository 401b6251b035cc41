import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'rolldown'
import { expect, it } from 'vitest'
import config from '../../rolldown.config.ts'
import { openPage, ownBrowser, texts } from './browser.ts'
import { pushOrders } from './push.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const browser = ownBrowser()
const folder = ownFolder('file')

it('is in the bundle, over memory and over a data file', async () => {
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
      await using opened = await openPage(browser, url!)
      await expect.poll(() => texts(opened.page, '#rows-grid td:first-child')).toEqual(['5', '4', '3', '2', '1'])
    }
    serve.kill('SIGTERM')
    expect(await once(serve, 'close')).toEqual([0, null])
  }
})
