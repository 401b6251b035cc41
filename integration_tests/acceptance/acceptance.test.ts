// The platform's acceptance tests, as acceptance-test-config.yml lists them, without the platform.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { startLocalService } from '../../src/local-service/start.ts'
import { run, workFolder } from '../connector.ts'

interface Acceptance {
  readonly acceptance_tests: {
    readonly spec: { readonly tests: readonly { readonly spec_path: string }[] }
    readonly connection: { readonly tests: readonly { readonly config_path: string; readonly status: string }[] }
  }
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { acceptance_tests: tests } = parse(read('acceptance-test-config.yml')) as Acceptance

it.each(tests.spec.tests)('spec prints $spec_path', async ({ spec_path: path }) => {
  const { code, messages } = await run(['spec'])
  expect({ code, messages }).toEqual({ code: 0, messages: [{ type: 'SPEC', spec: JSON.parse(read(path)) }] })
})

it.each(tests.connection.tests)('check of $config_path: $status', async ({ config_path: path, status }) => {
  await using service = await startLocalService({ clients: [{ id: 7, key: 'demo-key' }] })
  await using work = await workFolder()
  const config = { ...(JSON.parse(read(path)) as object), import_url: service.url }
  const { code, messages } = await run(['check', '--config', await work.file('config.json', config)])
  const told = messages.filter(({ type }) => type === 'CONNECTION_STATUS')
  expect(told).toMatchObject([{ connectionStatus: { status: status === 'succeed' ? 'SUCCEEDED' : 'FAILED' } }])
  expect(code).toBe(0)
})
