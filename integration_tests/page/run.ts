// `npm run test:page [-- options of Vitest]`: the local service's page in a real browser. Without a browser the tests are
// skipped, or fail under PAGE_REQUIRED=1. `-- --screenshot [FILE]`: makes the picture of docs/local-service.md instead.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { findChromium } from './find-chromium.ts'

const [first, file = 'docs/local-service.png'] = process.argv.slice(2)
const found = findChromium(process.env)
if ('reason' in found) {
  const isRequired = process.env['PAGE_REQUIRED'] === '1'
  console.log(`${isRequired ? 'FAILED' : 'skipped'}: the page's tests need a browser, and ${found.reason}.`)
  if (isRequired) process.exitCode = 1
} else if (first === '--screenshot') {
  const { makePicture } = await import('./picture.ts')
  await makePicture(file)
} else {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
  const tests = spawn(process.execPath, [vitest, 'run', '--config', config, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  const [code] = (await once(tests, 'close')) as [number | null]
  process.exitCode = code ?? 1
}
