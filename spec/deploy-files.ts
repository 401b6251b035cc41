// What the specs of deploy/ read it by.

import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { loadStreamConfig } from '../src/config/stream/stream-load.ts'
import type { StreamConfig } from '../src/config/stream/stream-config.ts'

export const DEPLOY = new URL('../deploy/', import.meta.url)
/** A file's text. */
export const read = (name: string): string => readFileSync(new URL(name, DEPLOY), 'utf8')
/** Of the project: what its image is called. */
export const { name: NAME, version: VERSION } = JSON.parse(read('../package.json')) as {
  name: string
  version: string
}

/** Of a config file's text: the variables it refers to. */
export function variablesOf(text: string): string[] {
  const code = text.replaceAll(/^\s*#.*$/gm, '')
  return [...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!).toSorted()
}

/** Every variable has some value. @throws what is wrong with it */
export async function configOf(text: string): Promise<StreamConfig> {
  const env = Object.fromEntries(variablesOf(text).map((name) => [name, 'a-long-value']))
  const { config, warnings } = await loadStreamConfig(text, {
    env,
    file: '/etc/analytics/stream.yaml',
    learn: () => {},
  })
  expect(warnings).toEqual([])
  return config
}

/** What the config's file says itself, for what its meaning no longer shows. */
export interface ConfigFile {
  readonly import_url: string
  readonly kafka: { readonly brokers: readonly string[]; readonly group: string }
  readonly topics: readonly { readonly topic: string }[]
  readonly dead_letters: { readonly topic: string }
  readonly health: { readonly port: number }
}
