// The browser that tests and pictures of the page are made with.

import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

/** Not in a sandbox of its own: tests run as root in containers too, and pages are ours. */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  const found = findChromium(process.env)
  if ('reason' in found) throw new Error(found.reason)
  return chromium.launch({ executablePath: found.path, args: ['--no-sandbox', ...args] })
}
