import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests, contentBesidesConnect, texts } from './testing/browser-of-tests.ts'
import { push, pushOrders } from './push.ts'

const { openPage } = browserOfTests()

function statuses(page: Page): Promise<string[]> {
  return texts(page, '#requests-grid tbody td:nth-child(2)')
}

it('opens a request with its body and its answer, pretty and raw, and goes on to its rows', async () => {
  await using service = await startLocalService()
  const body = '{"keys":["id"], "id":12345678901234567890,"x":1.10}'
  await push(service.url, { table: 'orders' }, body)
  await using opened = await openPage(service.url, 'requests')
  const { page } = opened
  await page.locator('#requests-grid td').first().click()
  await expect.poll(() => page.locator('#value-title').innerText()).toBe('POST /v2/client/7/table/orders/data')
  expect(await page.locator('#value-about').innerText()).toMatch(
    /^Answered 201 at [\d:]{8} after [\d.,]+ ms; 1 row, body of 51 B\.$/,
  )
  expect(await page.locator('#value-text').textContent()).toBe(
    '{\n  "keys": [\n    "id"\n  ],\n  "id": 12345678901234567890,\n  "x": 1.10\n}',
  )
  expect(await page.locator('#answer-text').textContent()).toMatch(
    /^\{\n {2}"code": 201,\n {2}"message": "1 point taken/,
  )
  await page.locator('#value-raw').click()
  expect(await page.locator('#value-text').textContent()).toBe(body)
  expect(await page.locator('#answer-text').textContent()).toMatch(/^\{"code":201,/)
  await page.locator('#value-link').click()
  await expect.poll(() => page.locator('#rows-grid').innerText()).toContain('12345678901234567890')
  expect(await contentBesidesConnect(page)).not.toMatch(/demo-key/)
})

it('filters by table, status and latency, in the address too, and says why a request failed', async () => {
  let now = 1_700_000_000_000
  const slow = { answer: { status: 503, body: '{"message":"in the workshop"}' }, delay_ms: 1 }
  await using service = await startLocalService({
    now: () => now,
    onUpsert: ({ table }) => void (now += table === 'slow' ? 2000 : 1),
  })
  await pushOrders(service.url, 1)
  await push(service.url, { table: 'slow' }, [{ keys: ['id'], id: 1 }])
  await push(service.url, { table: 'orders' }, [{ keys: ['nothing'] }])
  service.fault(slow)
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
  service.fault({ reset: 'before' })
  await push(service.url, { table: 'orders' }, [{ keys: ['id'], id: 1 }])
  await (await fetch(`${service.url}/nothing`)).text()
  await using opened = await openPage(service.url, 'requests')
  const { page } = opened
  await expect.poll(() => statuses(page)).toEqual(['404', 'reset', '503', '400', '201', '201'])
  expect(await texts(page, '#requests-grid tbody td:last-child')).toEqual([
    'there is no such path',
    '',
    'in the workshop',
    'point 0: keys names "nothing", a field the point does not have',
    '',
    '',
  ])
  expect(await page.locator('#requests-note').innerText()).toBe(
    '6 requests: 2 × 2xx, 2 × 4xx, 1 × 5xx, 1 × no answer; median 1 ms, slowest 2,000 ms.',
  )
  expect(await texts(page, '#requests-table option')).toEqual(['all', 'not an upsert', 'orders', 'slow'])
  for (const [status, found] of [
    ['failed', ['404', 'reset', '503', '400']],
    ['2xx', ['201', '201']],
    ['4xx', ['404', '400']],
    ['5xx', ['503']],
    ['no answer', ['reset']],
  ] as const) {
    await page.locator('#requests-status').selectOption(status)
    await expect.poll(() => statuses(page)).toEqual(found)
  }
  await page.locator('#requests-status').selectOption('')
  await page.locator('#requests-table').selectOption('-')
  await expect.poll(() => statuses(page)).toEqual(['404'])
  await page.locator('#requests-table').selectOption('slow')
  await expect.poll(() => statuses(page)).toEqual(['201'])
  await page.locator('#requests-slower').fill('2000.5')
  await expect.poll(() => page.locator('#requests-none').isVisible()).toBe(true)
  await page.locator('#requests-slower').fill('100')
  await expect.poll(() => statuses(page)).toEqual(['201'])
  await expect.poll(() => page.url()).toContain('#/requests?table=slow&slower=100')
  await page.reload()
  await expect.poll(() => statuses(page)).toEqual(['201'])
  expect(await page.locator('#requests-table').inputValue()).toBe('slow')
})

it('marks a body that was cut, masks secrets, and says where bodies are not kept', async () => {
  {
    await using service = await startLocalService()
    const note = 'x'.repeat(100_000)
    await push(service.url, { table: 'large' }, JSON.stringify([{ keys: ['id'], id: 1, note }]))
    await fetch(`${service.url}/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":"ada","password":"hunter2"}',
    })
    await using opened = await openPage(service.url, 'requests')
    const { page } = opened
    await page.locator('#requests-grid tbody tr:nth-child(2) td').first().click()
    await expect.poll(() => page.locator('#value-note').innerText()).toMatch(/^Cut: the first 64 KiB of 97\.7 KiB\./)
    expect(await page.locator('#value-text').textContent()).toMatch(/^\[\n {2}\{\n {4}"keys": \[\n/)
    await page.keyboard.press('Escape')
    await page.locator('#requests-grid tbody tr:nth-child(1) td').first().click()
    await expect.poll(() => page.locator('#value-text').textContent()).toContain('"password": "******"')
    expect(await page.content()).not.toContain('hunter2')
  }
  await using service = await startLocalService({ payloads: false })
  await pushOrders(service.url, 1)
  await using opened = await openPage(service.url, 'requests')
  await opened.page.locator('#requests-grid td').first().click()
  await expect
    .poll(() => opened.page.locator('#value-about').innerText())
    .toMatch(/^Answered 201 .* bodies are not kept: serve runs with --no-payloads\.$/)
  expect(await opened.page.locator('#value pre:visible').count()).toBe(0)
})

it('has the path where it is seen, and a URL for each request, with the ones before and after it', async () => {
  await using service = await startLocalService()
  for (const table of ['a', 'b', 'c']) await push(service.url, { table }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, 'requests?request=2', {
    viewport: { width: 390, height: 844 },
  })
  const { page } = opened
  const title = (): Promise<string> => page.locator('#value-title').innerText()
  const hash = (): string => new URL(page.url()).hash
  await expect.poll(title).toBe('POST /v2/client/7/table/b/data')
  expect(await texts(page, '#requests-grid th')).toEqual([
    'Time',
    'Status',
    'Table or path',
    'ms',
    'Rows',
    'Body',
    'Reason',
  ])
  await page.locator('#value-newer').click()
  await expect.poll(title).toBe('POST /v2/client/7/table/c/data')
  expect(hash()).toBe('#/requests?request=3')
  await expect.poll(() => page.locator('#value-newer').isDisabled()).toBe(true)
  for (const table of ['b', 'a']) {
    await page.locator('#value-older').click()
    await expect.poll(title).toBe(`POST /v2/client/7/table/${table}/data`)
  }
  expect([await page.locator('#value-older').isDisabled(), hash()]).toEqual([true, '#/requests?request=1'])
  await page.reload()
  await expect.poll(title).toBe('POST /v2/client/7/table/a/data')
  await page.keyboard.press('Escape')
  await expect.poll(hash).toBe('#/requests')
  const path = (await page.locator('#requests-grid td.path').first().boundingBox())!
  expect(path.x + path.width).toBeLessThan(390)
  await page.locator('#requests-grid td.path').nth(2).click()
  await expect.poll(hash).toBe('#/requests?request=1')
  await page.goBack()
  await expect.poll(() => page.locator('#value').isVisible()).toBe(false)
  await page.goto(`${service.url}/_local/#/requests?request=99`)
  await expect.poll(() => page.locator('#value-about').innerText()).toBe('It is not among the last 200 requests.')
})

it('copies a request as a command of curl, where all of it is known', async () => {
  await using service = await startLocalService()
  const body = `[{"keys":["id"],"id":1,"text":"it's $HOME \`x\` \\\\ @ 漢"},\n{"keys":["id"],"id":2}]`
  await push(service.url, { table: 'orders' }, body)
  await push(service.url, { table: 'masked' }, '[{"keys":["id"],"id":"demo-key"}]')
  await push(service.url, { table: 'cut' }, JSON.stringify([{ keys: ['id'], id: 1, note: 'x'.repeat(70_000) }]))
  await fetch(`${service.url}/v1/tokens`, { method: 'POST', body: '{"password":"hunter2"}' })
  const permissions = ['clipboard-read', 'clipboard-write']
  await using opened = await openPage(service.url, 'requests?request=1', { permissions })
  const { page } = opened
  await page.locator('#value-curl').click()
  await expect.poll(() => page.locator('#value-note').innerText()).toBe('Copied. It needs ANALYTICS_API_KEY.')
  const command = (await page.evaluate('navigator.clipboard.readText()')) as string
  expect(command).not.toContain('demo-key')
  await fetch(`${service.url}/_local/tables`, { method: 'DELETE' })
  const environment = { ...process.env, ANALYTICS_API_KEY: 'demo-key' }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: environment })
  expect(JSON.parse(stdout)).toMatchObject({ code: 201 })
  expect(service.rows('orders').map(String)).toEqual(body.slice(1, -1).split(',\n'))
  for (const n of [2, 3, 4]) {
    await page.goto(`${service.url}/_local/#/requests?request=${n}`)
    await expect.poll(() => page.locator('#value-title').innerText()).toMatch(/masked|cut|tokens/)
    await expect.poll(() => page.locator('#value-curl').isVisible()).toBe(false)
  }
})
