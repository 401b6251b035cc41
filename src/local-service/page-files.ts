// The files of the page under /_local/, as they are sent. In the bundle this file stays a chunk of its own beside the folder `page`, which
// it finds by its own place.

import { createHash } from 'node:crypto'
import { packageFile } from '../files/package-file.ts'
import type { Answer } from './types.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

const NAME = /^[a-z]+\.(?:css|html|js|svg)$/

/** The page's policy: nothing but what comes from here, nothing inline, in no frame, and no text becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The program's name in front of its commands. */
const PROGRAM = /destination-analytics-service(?= (?:check|write|onboard) )/g

/** Answers with a file of the page. `undefined` when there is no such file.
 *  @param known the tag that the browser has it by
 *  @param command that starts this program, for hints */
export function pageFile(name: string, known: string | undefined, command?: string): Answer | undefined {
  const bytes = NAME.test(name) ? fileOf(name) : undefined
  if (bytes === undefined) return undefined
  const shown = command?.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const text = bytes.toString()
  const body = name === 'index.html' && shown !== undefined ? text.replaceAll(PROGRAM, () => shown) : text
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = {
    'Content-Type': TYPES[name.slice(name.lastIndexOf('.') + 1)]!,
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
    ETag: tag,
  }
  const isKnown = known?.split(',').some((it) => it.trim().replace(/^W\//, '') === tag) === true
  return isKnown ? { status: 304, headers, body: '' } : { status: 200, headers, body }
}

/** A file of the page. `undefined` when the folder has none of that name. */
function fileOf(name: string): Buffer | undefined {
  try {
    return packageFile(`./page/${name}`, import.meta.url)
  } catch {
    return undefined
  }
}
