import { expect, it } from 'vitest'
import { logIn, newClient, PROPERTIES, refusedAnswer, testService } from './testing/service.ts'
import { expectStrict } from './testing/strict.ts'

const NULLABLE = ['has_privacy_protection', 'hosted_warehouse', 'phone_number', 'website_url']

it('sets name and properties, again and again', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const id = await newClient(it)
  for (const change of [{}, { timezone: 'Asia/Kolkata', website_url: 'https://shop.example' }, {}]) {
    const body = { name: 'Acme & Söhne', properties: { ...PROPERTIES, ...change } }
    expect(await it.send('PUT', `/v1/clients/${id}`, { body, headers })).toEqual({ status: 200, body: { id, ...body } })
    expect(it.service.onboarding.clients().at(-1)).toMatchObject({ id, ...body })
  }
  expect(
    (await it.send('PUT', '/v1/clients/7', { body: { name: 'Seven', properties: PROPERTIES }, headers })).status,
  ).toBe(200)
  expect(it.service.onboarding.clients()[0]).toMatchObject({ id: 7, name: 'Seven', import_keys: 1 })
})

it('refuses each member that is missing or of another type', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const body = { name: 'Acme', properties: PROPERTIES }
  await expectStrict(
    it,
    'PUT',
    '/v1/clients/7',
    { body, headers },
    { nullable: NULLABLE.map((it) => `properties.${it}`) },
  )
  expect(it.service.onboarding.clients()[0]).toMatchObject(body)
})

it('takes what the service document says of each property, and nothing else', async () => {
  await using it = await testService()
  const { cookie: headers } = await logIn(it)
  const put = (name: string, value: unknown): Promise<unknown> =>
    it.send('PUT', '/v1/clients/7', { body: { name: 'x', properties: { ...PROPERTIES, [name]: value } }, headers })
  const right: [string, readonly unknown[]][] = [
    ['has_guest_checkout', ['0', '1']],
    ['perform_updates', ['0', '1']],
    ['default_currency', ['USD', 'EUR']],
    ['timezone', ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'EST5EDT']],
    ['week_start_day', ['0', '1', '6']],
    ['blackout_hours', ['', '1-4']],
    ['shop_store_table_prefix', ['', 'm2_']],
    ...NULLABLE.map((name): [string, readonly unknown[]] => [name, [null, '', 'x']]),
    ['something_else', [null, 1, { keys: [] }]],
  ]
  for (const [name, values] of right) {
    for (const value of values) expect(await put(name, value), name).toMatchObject({ status: 200 })
  }
  const wrong: [string, readonly unknown[]][] = [
    ['has_guest_checkout', [1, true, '', '2', 'true', null]],
    ['perform_updates', [0, false, '00', null]],
    ['is_implemented', ['true', 'false', 0, 1, '1', null]],
    ['default_currency', ['', 'usd', 'US', '$', 'US Dollar', null]],
    ['timezone', ['', 'Mars/Olympus', '+01:00', 'Europe/Berlin ', null]],
    ['week_start_day', [0, '', 'Monday', '8', '-1', '01', null]],
    ['blackout_hours', [null, 4, []]],
  ]
  for (const [name, values] of wrong) {
    for (const value of values)
      expect(await put(name, value), name).toEqual(refusedAnswer(400, `^properties.${name} must be `))
  }
})
