// The certificates of servers that broken set-ups meet. Each is signed by itself.

import { readFileSync } from 'node:fs'

export interface Certificate {
  /** PEM. */
  readonly certificate: string
  readonly key: string
}

const FILE = new URL('../../src/service/http/certificates.test.json', import.meta.url)

/** @param name trusted, otherHost, expired, client */
export function certificate(name: string): Certificate {
  const all = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Certificate>
  const found = all[name]
  if (found === undefined) throw new Error(`there is no certificate ${name}`)
  return found
}
