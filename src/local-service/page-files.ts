// Answers with the files of the page under /_local/, from the folder `page` beside this module. This is imported dynamically, so that in a
// bundle it is a file of its own, still beside that folder.

import { createHash } from 'node:crypto'
import { packageFile } from '../files/package-file.ts'
import type { Answer } from './types.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

/** The name of a file that the page may have. It leads to no other folder. */
const FILE_NAME = /^[a-z]+\.(?:css|html|js|svg)$/

/** The page's Content-Security-Policy: nothing is loaded from elsewhere, nothing is inline, no frame shows it, no text becomes markup. */
const PAGE_POLICY = [
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

/** The program's name where a hint of index.html has it in front of a command, as in `destination-analytics-service write --config`. */
const PROGRAM = /destination-analytics-service(?= (?:check|write|onboard) )/g

/** Answers with a file of the page. `undefined` when there is no such file.
 *  @param knownTags the value of If-None-Match: where it has the file's tag, the answer is 304
 *  @param command the command that starts this program, for hints in index.html; the program's name when absent */
export function pageFile(name: string, knownTags: string | undefined, command?: string): Answer | undefined {
  const bytes = FILE_NAME.test(name) ? fileOf(name) : undefined
  if (bytes === undefined) return undefined
  const inHtml = command?.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const text = bytes.toString()
  const body = name === 'index.html' && inHtml !== undefined ? text.replaceAll(PROGRAM, () => inHtml) : text
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = {
    'Content-Type': TYPES[name.slice(name.lastIndexOf('.') + 1)]!,
    'Content-Security-Policy': PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
    ETag: tag,
  }
  const isKnown = knownTags?.split(',').some((known) => known.trim().replace(/^W\//, '') === tag) === true
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
