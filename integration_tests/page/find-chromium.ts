// Which browser the page is tried in: the one of CHROMIUM_PATH, or a Chromium or Chrome that is on the PATH.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

export type FoundChromium = { readonly path: string } | { readonly reason: string }

/** @param environment CHROMIUM_PATH, PATH */
export function findChromium(environment: NodeJS.ProcessEnv): FoundChromium {
  const { CHROMIUM_PATH: named, PATH = '' } = environment
  if (named !== undefined) {
    return canRun(named) ? { path: named } : { reason: `CHROMIUM_PATH is ${named}, which cannot be run` }
  }
  const path = PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(canRun)
  return path === undefined
    ? { reason: 'no Chromium was found: install Debian’s package chromium, or set CHROMIUM_PATH' }
    : { path }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
