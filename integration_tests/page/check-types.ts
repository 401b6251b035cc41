// The types of the page's tests, as the last part of `npm run types`: they need those of the browser's driver, a test part.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (from: string): string => fileURLToPath(new URL(from, import.meta.url))

if (existsSync(path('../../node_modules/playwright-core'))) {
  const compiler = path('../../node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', path('.')], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else console.log("The types of the page's tests were not checked: npm run fetch:test-parts -- playwright-core")
