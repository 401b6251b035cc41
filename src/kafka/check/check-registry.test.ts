import { expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import type { RegistryResult } from '../../registry/retrying-client.ts'
import { registryFinding } from './check-registry.ts'

const signal = new AbortController().signal
const answer = { status: 200, body: '["AVRO"]', isCut: false, words: '', retryAfterMs: undefined, leadsTo: undefined }
const found = (asked: RegistryResult) =>
  registryFinding({ address: 'https://registry.example.com', ask: () => Promise.resolve(asked) }, signal)

it('is well with a registry that answers as one', async () => {
  expect(await found(answer)).toMatchObject({
    level: 'ok',
    text: 'The schema registry https://registry.example.com answers.',
  })
})

it.each<[RegistryResult, RegExp]>([
  [{ failed: 'nothing listens at 127.0.0.1:1' }, /cannot be asked: nothing listens .*\. Check schema_registry\.url/],
  [{ failed: 'it closed', remedy: 'Try https:.' }, /cannot be asked: it closed\. Try https:\.$/],
  [
    { ...answer, status: 401, body: '', words: 'Unauthorized' },
    /answered 401 \(Unauthorized\) when asked .* does not know the login\. Check username/,
  ],
  [
    { ...answer, status: 404, body: '{}' },
    /answered 404 when .*nothing there answers as a schema registry.*\/apis\/ccompat\/v7/,
  ],
  [{ ...answer, body: '<html>' }, /answered 200 with an HTML page when .*not a schema registry but something in front/],
  [
    { ...answer, status: 503, body: '', words: 'busy' },
    /answered 503 \(busy\) when asked for the types of its schemas\. Check url/,
  ],
])('says what is wrong: %j', async (asked, words) => {
  const { level, text } = await found(asked)
  expect(level).toBe('FAIL')
  expect(text).toMatch(/^The schema registry https:\/\/registry\.example\.com /)
  expect(text).toMatch(words)
})

it('says what no attempt can mend', async () => {
  const ask = (): Promise<RegistryResult> =>
    Promise.reject(new ConnectorError('config', 'program.fault', 'Nobody trusts it.'))
  expect(await registryFinding({ address: 'a', ask }, signal)).toMatchObject({
    level: 'FAIL',
    text: 'Nobody trusts it.',
  })
})

it('says how long it waited', async () => {
  const ask: Parameters<typeof registryFinding>[0]['ask'] = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ failed: 'the request was broken off', remedy: 'Run it again.' }))
    })
  expect(await registryFinding({ address: 'a', ask }, signal, 20)).toMatchObject({
    level: 'FAIL',
    text: expect.stringMatching(/does not answer within 0\.02 s\. Check schema_registry\.url/) as string,
  })
})
