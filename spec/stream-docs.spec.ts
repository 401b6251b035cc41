// docs/stream.md says what the code does: its configs and those of docs/formats.md; and so does docs/troubleshooting.md, of the messages
// of `stream` that no broken set-up provokes.

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readStreamConfig } from '../src/config/stream/stream-load.ts'

const ROOT = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const docs = read('docs/stream.md')
const ENV = { ANALYTICS_API_KEY: 'import-key', REGISTRY_PASSWORD: 'registry-password' }

describe('the configs can be used', () => {
  const configs = [...`${docs}${read('docs/formats.md')}`.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!)

  test('there are some', () => {
    expect(configs.length).toBeGreaterThan(2)
  })

  test.each(configs)('number %#', async (text) => {
    // a password of a file that is not on this machine
    const here = text.replace('{ file: /run/secrets/kafka }', '"${ANALYTICS_API_KEY}"')
    expect(parse(here)).toBeTypeOf('object')
    const { problems, warnings } = await readStreamConfig(here, { env: ENV, folder: '/etc' })
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] })
  })
})

describe('a message that is explained is said somewhere', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))
  const code = files.map((path) => read(path)).join('\n')
  const page = read('docs/troubleshooting.md')
  const table = page.split('\n## While stream runs\n')[1]!.split('\n## ')[0]!
  const ofCodes = page.matchAll(/^\| <a id="[^"]+"><\/a>`[^`]+` \| `([^`]+)`: /gm)
  const messages = [...table.matchAll(/^\| `([^`]+)` \|/gm), ...ofCodes].map(([, message]) => message!)

  test('there are some', () => {
    expect(messages.length).toBeGreaterThan(25)
  })

  test.each(messages)('%s', (message) => {
    for (const part of message.split('…').map((text) => text.trim())) expect(code).toContain(part)
  })
})
