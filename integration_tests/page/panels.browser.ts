import { expect, it } from 'vitest'
import { startLocalService, type LocalService } from '../../src/local-service/start.ts'
import { browserOfTests, contentBesidesConnect, texts } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

it('says what to do while there is nothing, and shows tables as they come', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url)
  const { page } = opened
  expect(await page.locator('#where').innerText()).toBe('Rows are kept in memory.')
  expect(await page.locator('#tables-empty').innerText()).toBe('No table yet. The first row makes one: see Connect.')
  expect(await page.locator('#connect-config').isVisible()).toBe(true)
  await pushOrders(service.url, 3)
  await push(service.url, { table: 'orders', sandbox: true }, [{ keys: ['id'], id: 1 }])
  await page.locator('#tables-grid td', { hasText: 'orders' }).waitFor()
  expect(await texts(page, '#tables-grid tbody tr')).toEqual([expect.stringMatching(/^orders\t3\t\d\d:\d\d:\d\d$/)])
  expect(await page.locator('#tables-empty').isVisible()).toBe(false)
  await expect
    .poll(() => page.locator('#sandbox-note').innerText())
    .toBe('Sandbox: 1 row received in 1 request, none stored.')
})

it('shows rows a page at a time, in both orders, and their own bytes', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 120)
  const odd = '{"keys":["id"],  "id":1.10, "big":12345678901234567890}'
  await push(service.url, { table: 'orders' }, odd)
  await using opened = await openPage(service.url)
  const { page } = opened
  await page.locator('#tables-grid td', { hasText: 'orders' }).click()
  const first = page.locator('#rows-grid tbody tr').first()
  await expect.poll(() => first.innerText()).toContain('12345678901234567890')
  expect(await texts(page, '#rows-grid th')).toEqual([
    '#',
    'id',
    'Written ↓',
    'JSON',
    'big',
    'item',
    'price',
    'customer',
    'paid',
    'note',
    'keys',
  ])
  expect(await page.locator('#rows-place').innerText()).toBe('1 to 50 of 121 rows, last written first')
  await first.locator('button').click()
  await page.locator('#value-raw').click()
  await expect.poll(() => page.locator('#value-text').textContent()).toBe(odd)
  const bytes = await page.evaluate('fetch(document.querySelector("#value-download").href).then((it) => it.text())')
  expect(bytes).toBe(odd)
  await page.locator('#value-close').click()
  await page.locator('#rows-last').click()
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('101 to 121 of 121 rows, last written first')
  expect(await page.locator('#rows-next').isDisabled()).toBe(true)
  await page.locator('#rows-more').click()
  await page.locator('#rows-order').selectOption('first')
  await expect.poll(() => first.innerText()).toMatch(/^1\t/)
  await page.locator('#rows-next').click()
  await expect.poll(() => first.innerText()).toMatch(/^51\t/)
  await page.locator('#rows-back').click()
  await expect.poll(() => first.innerText()).toMatch(/^1\t/)
  await page.locator('#rows-more').click()
  await page.locator('#rows-count').selectOption('25')
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('1 to 25 of 121 rows')
})

it('lists requests as they come, without keys, and stands still when it is told to', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url, 'requests')
  const { page } = opened
  expect(await page.locator('#requests-empty').innerText()).toMatch(/No request yet/)
  await pushOrders(service.url, 2)
  await push(service.url, { table: 'orders', key: 'wrong-key' }, [{ keys: ['id'], id: 1 }])
  const statuses = async (): Promise<string[]> => texts(page, '#requests-grid tbody td:nth-child(2)')
  await expect.poll(statuses).toEqual(['401', '201'])
  expect(await texts(page, '#requests-grid tbody td:nth-child(3)')).toEqual(['orders', 'orders'])
  expect(await texts(page, '#requests-grid tbody td:last-child')).toEqual(['apikey is not a key of client 7', ''])
  expect(await contentBesidesConnect(page)).not.toMatch(/demo-key|wrong-key|apikey=/)
  await page.locator('#requests-status').selectOption('failed')
  await expect.poll(statuses).toEqual(['401'])
  await page.locator('#requests-status').selectOption('')
  await page.locator('#requests-pause').click()
  await pushOrders(service.url, 1)
  await expect.poll(() => page.locator('#total-requests').innerText()).toBe('3')
  expect(await statuses()).toEqual(['401', '201'])
  await page.locator('#requests-pause').click()
  await expect.poll(statuses).toEqual(['200', '401', '201'])
})

it('scripts faults, lists them, ends them', async () => {
  await using service = await startLocalService()
  await using opened = await openPage(service.url, 'faults')
  const { page } = opened
  const waiting = async (): Promise<string[]> => texts(page, '#faults-grid tbody tr')
  expect(await page.locator('#faults-empty').innerText()).toBe('No fault is waiting.')
  await page.locator('#fault-quick button').nth(1).click()
  await expect.poll(waiting).toEqual(['The next upsert of any table answers 429 with Retry-After 2.\tEnd'])
  expect(await push(service.url, { table: 't' }, [{ keys: ['id'], id: 1 }])).toBe(429)
  await expect.poll(waiting).toEqual([])
  await page.locator('#fault-for').selectOption('table')
  await page.locator('#fault-table').fill('orders')
  await page.locator('#fault-which').selectOption('every')
  await page.locator('#fault-number').fill('2')
  const preview = page.locator('#fault-preview')
  expect(await preview.innerText()).toBe('Every 2nd upsert of orders answers 500.')
  await page.locator('#fault-what').selectOption('after')
  await page.locator('#fault-form button').click()
  const stored = 'Every 2nd upsert of orders is stored, then reset without an answer.'
  expect(await preview.innerText()).toBe(stored)
  await expect.poll(waiting).toEqual([`${stored}\tEnd`])
  const sent = [1, 2].map((id) => ({ keys: ['id'], id }))
  expect(await push(service.url, { table: 'orders' }, sent.slice(0, 1))).toBe(201)
  expect(await push(service.url, { table: 'orders' }, sent.slice(1))).toBe('reset')
  expect(service.rows('orders')).toHaveLength(2)
  await page.locator('#faults-grid button').click()
  await expect.poll(waiting).toEqual([])
  await page.locator('#fault-for').selectOption('endpoint')
  await page.locator('#fault-endpoint').selectOption('A4')
  await page.locator('#fault-what').selectOption('delay')
  await page.locator('#fault-form button').click()
  await page.locator('#fault-quick button').first().click()
  await expect
    .poll(waiting)
    .toEqual(['Every 2nd A4 request waits 500 ms.\tEnd', 'The next upsert of any table answers 503.\tEnd'])
  await page.locator('#faults-clear').click()
  await expect.poll(waiting).toEqual([])
  expect(service.clearFaults()).toBe(0)
  await page.locator('#fault-for').selectOption('table')
  await page.locator('#fault-which').selectOption('next')
  await page.locator('#fault-number').fill('3')
  await page.locator('#fault-what').selectOption('answer')
  expect(await preview.innerText()).toBe('The next 3 upserts of orders answer 500.')
})

it('shows what the onboarding interface made, and makes keys that are shown once', async () => {
  await using service = await startLocalService()
  await signUp(service)
  await using opened = await openPage(service.url, 'onboarding')
  const { page } = opened
  await expect.poll(() => texts(page, '#clients-grid tbody td:nth-child(2)')).toEqual(['Client 7', 'Acme <b>x</b>'])
  await expect.poll(() => texts(page, '#jobs-grid tbody td:nth-child(4)')).toEqual(['completed'])
  expect(await page.locator('#jobs-grid tbody td:nth-child(5)').innerText()).toMatch(
    /^pending\s[\d:]{8} → running\s[\d:]{8} → completed\s[\d:]{8}$/,
  )
  await page.getByRole('button', { name: 'New key for imports of client 7', exact: true }).click()
  const key = page.locator('#key-text')
  await expect.poll(() => key.innerText()).toMatch(/^\S{20,}$/)
  const made = await key.innerText()
  const config = { import_url: service.url, client_id: 7, api_key: made }
  expect(JSON.parse(await page.locator('#key-config').innerText())).toEqual(config)
  expect(await push(service.url, { table: 't', key: made }, [{ keys: ['id'], id: 1 }])).toBe(201)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.content()).not.toContain(made)
  await expect.poll(() => texts(page, '#clients-grid tbody tr:first-child td:nth-child(3)')).toEqual(['2 New key'])
  await page.locator('#plans-kind').selectOption('dashboards')
  await page.locator('#plans-seconds').fill('0.5')
  await page.locator('#plans-outcome').selectOption('Failed')
  await page.locator('#plans-form button.main').click()
  await expect.poll(() => texts(page, '#plans-grid tbody tr:last-child')).toEqual(['dashboards\t0.5\tFailed'])
  await page.locator('#plans-reset').click()
  await expect.poll(() => texts(page, '#plans-grid tbody tr:last-child')).toEqual(['dashboards\t1\tcompleted'])
})

it('says when the service has ended', async () => {
  await using service = await startLocalService()
  const opened = await openPage(service.url)
  await service[Symbol.asyncDispose]()
  await expect.poll(() => opened.page.locator('#trouble').innerText(), { timeout: 10_000 }).toMatch(/^Not up to date/)
  await opened.page.context().close()
  expect(opened.troubles.every((it) => /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE/.test(it))).toBe(true)
})

async function signUp({ url }: LocalService): Promise<void> {
  const company = 'Acme <b>x</b>'
  const person = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', role: 'owner' }
  const answer = await fetch(`${url}/v3/signups`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tier: 'pro', company, ...person, shop: { customer_id: 'c', subscription_id: 's' } }),
  })
  expect(answer.status).toBe(201)
}
