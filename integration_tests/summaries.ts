// Summaries of runs, for tests.

import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { fits } from '../spec/draft-07.ts'
import { summaryFileSchema } from '../spec/summary-reference.ts'
import type { Summary } from '../src/telemetry/summary/summary-schema.ts'

/** By the published schema, and without these. */
export async function readSummary(file: string, without: readonly string[]): Promise<Summary> {
  const text = await readFile(file, 'utf8')
  for (const secret of without)
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(text).not.toContain(form)
  const told: unknown = JSON.parse(text)
  expect(fits(told, strict(summaryFileSchema()))).toBe(true)
  return told as Summary
}

/** Without members it does not name. */
function strict<T>(node: T): T {
  if (Array.isArray(node)) return node.map(strict) as T
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([name, of]) => [name, strict(of as unknown)]))
  return { ...inner, ...('properties' in node ? { additionalProperties: false } : {}) } as T
}
