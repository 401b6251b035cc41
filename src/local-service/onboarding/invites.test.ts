import { expect, it } from 'vitest'
import { inviteTo, logIn, newClient, refusedAnswer, testService } from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

it('answers exactly the invite of the service document', async () => {
  await using it = await testService()
  const { userId, bearer } = await logIn(it)
  const clientId = await newClient(it)
  const answer = await it.send('POST', '/v3/invites', { body: inviteTo(clientId), headers: bearer })
  expect(answer).toEqual({
    status: 201,
    body: { id: expect.any(Number), inviter_user_id: userId, client_id: clientId, email: 'grace@example.com' },
  })
  const { id } = answer.body as { id: number }
  expect(it.service.onboarding.clients().at(-1)).toMatchObject({ users: [{ id, email: 'grace@example.com' }] })
  await it.send('POST', '/v3/invites', { body: inviteTo(clientId), headers: bearer })
  expect(it.service.onboarding.clients().at(-1)?.users).toHaveLength(2)
})

it('refuses each member that is missing or of another type, and numbers that mean nothing', async () => {
  await using it = await testService()
  const { bearer: headers } = await logIn(it)
  const body = inviteTo(7)
  await expectStrict(it, 'POST', '/v3/invites', { body, headers })
  const rights = { admin: 1, billing: 0, readonly: 0, technical: 1 }
  const wrong: [object, string][] = [
    [{ force_create: 0 }, '^force_create must be 1$'],
    [{ force_create: '1' }, '^force_create must be 1$'],
    [{ force_create: true }, '^force_create must be 1$'],
    [{ client_id: '7' }, '^client_id must be a whole number$'],
    [{ client_rights: { ...rights, admin: 2 } }, '^client_rights.admin must be 0 or 1$'],
    [{ client_rights: { ...rights, readonly: true } }, '^client_rights.readonly must be 0 or 1$'],
    [{ client_rights: { ...rights, technical: '1' } }, '^client_rights.technical must be 0 or 1$'],
  ]
  for (const [change, reason] of wrong) {
    expect(await it.send('POST', '/v3/invites', { body: { ...body, ...change }, headers })).toEqual(
      refusedAnswer(400, reason),
    )
  }
})

it('knows no other client', async () => {
  await using it = await testService()
  const { bearer: headers } = await logIn(it)
  for (const client of [8, 0, -1, 2 ** 53 - 1]) {
    expect(await it.send('POST', '/v3/invites', { body: inviteTo(client), headers })).toEqual(
      refusedAnswer(404, '^client_id'),
    )
  }
})
