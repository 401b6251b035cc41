import { expect, it } from 'vitest'

import { exampleOf } from '../../../spec/example.ts'
import { onboardOptions } from './onboard-options.ts'
import { readOnboardConfig } from './onboard-load.ts'

const ONBOARD_EXAMPLE = exampleOf('onboard', onboardOptions)

const SECRETS = { ONBOARD_PASSWORD: 'a', ONBOARD_CLIENT_SECRET: 'b', STORE_DB_PASSWORD: 'c' }

it('takes times, numbers and choices from variables, which are texts', async () => {
  const text = ONBOARD_EXAMPLE.replace(/base_url: .*/, 'base_url: http://onboarding.example.com')
    .replace(/# allow_insecure_http: \S+/, 'allow_insecure_http: ${YES}')
    .replace(/# request_timeout_seconds: \S+/, 'request_timeout_seconds: ${TIME}')
    .replace(/# is_implemented: \S+/, 'is_implemented: ${NO}')
    .replace(/admin: 1/, 'admin: ${NONE}')
    .replace(/client_id: 1/, 'client_id: ${ID}')
  const env = { ...SECRETS, YES: 'true', TIME: '2.5', NO: 'false', NONE: '0', ID: '12' }
  const { config, problems } = await readOnboardConfig(text, { env, folder: '/etc' })
  expect(problems).toEqual([])
  expect(config).toMatchObject({
    baseUrl: 'http://onboarding.example.com',
    login: { clientId: 12 },
    timing: { requestTimeoutMs: 2500 },
    user: { rights: { admin: 0 } },
    update: { properties: { is_implemented: false } },
  })
})

it('passes over the name of a schema, and over no other', async () => {
  const read = (line: string): ReturnType<typeof readOnboardConfig> =>
    readOnboardConfig(`${line}\n${ONBOARD_EXAMPLE}`, { env: SECRETS, folder: '/etc' })
  expect((await read('$schema: schema.json')).problems).toEqual([])
  expect((await read('$shcema: schema.json')).problems).toEqual(['line 1: `$shcema` is unknown'])
})
