import { expect, it } from 'vitest'
import { Secret } from '../../core/secret.ts'
import { LOGIN, logIn, refusedAnswer, START, testService } from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

it('answers exactly the token of the service document', async () => {
  await using it = await testService()
  it.now = START + 999
  expect(await it.send('POST', '/v1/tokens', { body: LOGIN })).toEqual({
    status: 201,
    body: {
      id: expect.any(Number),
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'bearer',
      scope: 'default',
      grant_type: 'password',
      user_id: expect.any(Number),
      oauth_client_id: 1,
      client_id: null,
      refresh_token: null,
      expires_in: 14_400,
      create_at: '2026-11-21 20:00:00',
      refreshed_at: '2026-11-21 20:00:00',
      expires_at: '2026-11-22 00:00:00',
    },
  })
})

it('gives the same user another token each time, and all are good', async () => {
  await using it = await testService()
  const [first, second] = [await logIn(it), await logIn(it)]
  expect(first.token).not.toBe(second.token)
  expect(first.userId).toBe(second.userId)
  for (const { bearer } of [first, second]) {
    expect((await it.send('GET', '/v1/clients/7/autodash/x', { headers: bearer })).status).toBe(404)
  }
})

it('lets in who knows password and oauth secret, as they were given', async () => {
  await using it = await testService({
    onboarding: {
      users: [
        { name: 'a', password: new Secret('p:ä😀') },
        { name: 'b', password: 'q' },
      ],
      oauth: [
        { id: 5, secret: 's' },
        { id: 0, secret: new Secret('z') },
      ],
      tokenSeconds: 60,
    },
  })
  const a = await logIn(it, { ...LOGIN, username: 'a', password: 'p:ä😀', clientId: 5, clientSecret: 's' })
  const b = await logIn(it, { ...LOGIN, username: 'b', password: 'q', clientId: 0, clientSecret: 'z' })
  expect(a.userId).not.toBe(b.userId)
  for (const wrong of [
    { username: 'a', password: 'q' },
    { username: 'c', password: 'q' },
    { username: 'B', password: 'q' },
    { username: 'b', password: 'q ' },
    { username: 'b', password: 'q', clientId: 0, clientSecret: 's' },
    { username: 'b', password: 'q', clientId: 1, clientSecret: 's' },
    { username: 'b', password: 'q', clientId: 5, clientSecret: '' },
    { username: '', password: '' },
    { username: '__proto__', password: 'q' },
  ]) {
    const body = { ...LOGIN, clientId: 5, clientSecret: 's', ...wrong }
    expect(await it.send('POST', '/v1/tokens', { body })).toEqual(refusedAnswer(401, 'not those of a user'))
  }
})

it('refuses each member that is missing or of another type, and ignores others', async () => {
  await using it = await testService()
  await expectStrict(it, 'POST', '/v1/tokens', { body: { ...LOGIN } })
  for (const wrong of [{ grant_type: 'refresh_token' }, { scope: '' }, { clientId: '1' }, { clientId: 2 ** 53 }]) {
    const [name] = Object.keys(wrong)
    const body = { ...LOGIN, ...wrong }
    expect(await it.send('POST', '/v1/tokens', { body })).toEqual(refusedAnswer(400, `^${name} must be `))
  }
  expect((await it.send('POST', '/v1/tokens', { body: { ...LOGIN, more: { keys: [] } } })).status).toBe(201)
})

it('names all that is wrong at once, and never shows what it held', async () => {
  await using it = await testService()
  const answer = await it.send('POST', '/v1/tokens', { body: { password: ['hunter2'], clientSecret: 12345 } })
  expect(answer.body).toMatchObject({
    reasons: [
      'username is missing',
      'password must be a string',
      'grant_type is missing',
      'scope is missing',
      'clientId is missing',
      'clientSecret must be a string',
    ],
  })
  expect(JSON.stringify(answer)).not.toMatch(/hunter2|12345/)
})

it('refuses options that cannot be, and shows no secret', async () => {
  const wrong = [
    { users: [{ name: '', password: 'hunter2' }] },
    { users: [{ name: 'a', password: new Secret('') }] },
    {
      users: [
        { name: 'a', password: 'hunter2' },
        { name: 'a', password: 'hunter2' },
      ],
    },
    { oauth: [{ id: -1, secret: 'hunter2' }] },
    { oauth: [{ id: 1.5, secret: 'hunter2' }] },
    { oauth: [{ id: 1, secret: '' }] },
    {
      oauth: [
        { id: 1, secret: 'hunter2' },
        { id: 1, secret: 'hunter2' },
      ],
    },
    { tokenSeconds: 0 },
    { tokenSeconds: 1.5 },
    { tokenSeconds: Infinity },
  ]
  for (const onboarding of wrong) {
    const error = await testService({ onboarding }).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    )
    expect(error).toMatchObject({ kind: 'config', message: expect.not.stringContaining('hunter2') })
  }
})
