import { expect, it } from 'vitest'
import { serve } from './serve.ts'
import type { ArgumentValues } from '../../process/read-arguments.ts'
import { serveValues } from './serve-options.ts'

/** What is printed; `use` is called while it serves. */
async function serving(options: ArgumentValues, use: (url: string) => Promise<void>): Promise<string> {
  const ending = new AbortController()
  let printed = ''
  await serve(
    serveValues({ port: '0', ...options }),
    {
      async write(text) {
        printed += text
        if (!text.includes('Stopped.'))
          await use(/^ {2}onboarding +(\S+) /m.exec(text)![1]!).finally(() => ending.abort())
      },
      random: () => 0.5,
      warn: (text: string) => expect.unreachable(text),
      isTty: false,
    },
    ending.signal,
  )
  return printed
}

async function token(url: string, login: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', scope: 'default', ...login }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

it('prints a login that is good', async () => {
  const demo = { username: 'demo@example.com', password: 'demo-password', clientId: 1, clientSecret: 'demo-secret' }
  const printed = await serving({}, async (url) => {
    expect(await token(url, demo)).toMatchObject({ status: 201, body: { expires_in: 14_400 } })
  })
  for (const text of Object.values(demo)) expect(printed).toContain(` ${text}`)
})

it('takes users, oauth clients and times, and prints no secret', async () => {
  const user = ['ada@example.com:hunter2:a', 'b:hunter2b']
  const oauth = ['5:hunter2:c', '6:hunter2d']
  const printed = await serving({ user, oauth, 'token-seconds': '60', 'job-seconds': '0.5' }, async (url) => {
    const ada = { username: 'ada@example.com', password: 'hunter2:a', clientId: 5, clientSecret: 'hunter2:c' }
    expect(await token(url, ada)).toMatchObject({ status: 201, body: { expires_in: 60, oauth_client_id: 5 } })
    expect(await token(url, { ...ada, password: 'demo-password' })).toMatchObject({ status: 401 })
    const { plans } = (await (await fetch(`${url}/_local/onboarding`)).json()) as { plans: object }
    expect(plans).toMatchObject({ signup: { durationMs: 500 }, dashboards: { durationMs: 500, outcome: 'completed' } })
  })
  expect(printed).toContain('username ada@example.com, password as given')
  expect(printed).toContain('clientId 6, clientSecret as given')
  expect(printed).not.toMatch(/hunter2|demo-password|demo-secret/)
})

it('says what is wrong, and shows no secret', async () => {
  for (const text of ['hunter2', ':hunter2', 'hunter2:', '']) {
    expect(() => serveValues({ user: [text] })).toThrow(/^Wrong --user: it must be NAME:PASSWORD/)
  }
  for (const text of ['hunter2', ':hunter2', '5:', 'x:hunter2', '05:hunter2', '-5:hunter2', '']) {
    expect(() => serveValues({ oauth: [text] })).toThrow(/^Wrong --oauth: it must be ID:SECRET/)
  }
  const wrong: [ArgumentValues, RegExp][] = [
    [{ 'token-seconds': '0' }, /^Wrong --token-seconds "0"/],
    [{ 'token-seconds': '1.5' }, /^Wrong --token-seconds/],
    [{ 'token-seconds': '1000000001' }, /^Wrong --token-seconds/],
    [{ 'job-seconds': '-1' }, /^Wrong --job-seconds/],
    [{ 'job-seconds': 'x' }, /^Wrong --job-seconds/],
    [{ user: ['a:hunter2', 'a:hunter2'] }, /^The user "a" is there twice/],
    [{ oauth: ['99999999999999999999:hunter2'] }, /oauth client is a whole number/],
  ]
  for (const [options, message] of wrong) {
    const error = await serving(options, () => Promise.reject(new Error('it serves'))).catch((error: unknown) => error)
    expect(error).toMatchObject({ kind: 'config', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('hunter2')
  }
})
