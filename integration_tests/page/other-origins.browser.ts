import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { startForeignSite } from './foreign-site.ts'
import { pushOrders } from './push.ts'

// a name of somebody else's, whose server now says that it is this machine
const { newPage } = browserOfTests(['--host-resolver-rules=MAP evil.example 127.0.0.1'])

/** Everything a page of another origin may try without being asked; run there. Answers what it could read. */
const ATTACK = (target: string): string => `(async () => {
  const read = []
  const send = async (path, options) => {
    try {
      const answer = await fetch('${target}' + path, options)
      const text = await answer.text()
      if (answer.ok && text !== '') read.push(path + ' ' + text)
    } catch {}
  }
  const bodies = [['faults', '{"delay_ms":1,"next":99}'], ['settings', '{"error_rate":1}'],
    ['onboarding', '{"signup":{"outcome":"Failed"}}'], ['clients/7/import-keys', '']]
  for (const mode of ['cors', 'no-cors']) {
    for (const [path, body] of bodies) await send('/_local/' + path, { method: 'POST', body, mode })
    for (const path of ['overview', 'tables', 'tables/orders', 'tables/orders/rows', 'clients', '', 'page/main.js'])
      await send('/_local/' + path, { mode })
    await send('/_local/faults', { method: 'DELETE', mode })
  }
  const named = (name) => new Promise((done) => {
    const element = document.createElement(name)
    element.onload = element.onerror = () => done(name)
    element.src = '${target}/_local/' + (name === 'iframe' ? '' : 'tables')
    document.body.append(element)
  })
  for (const name of ['iframe', 'script', 'img']) await named(name)
  read.push(...Array.from({ length: frames.length }, (_, index) => frames[index]).map((it) => { try { return it.document.body.innerText } catch { return '' } }).filter((it) => it))
  const form = document.createElement('form')
  const frame = document.createElement('iframe')
  frame.name = 'f'
  document.body.append(frame, form)
  Object.assign(form, { method: 'POST', action: '${target}/_local/faults', enctype: 'text/plain', target: 'f' })
  const input = document.createElement('input')
  Object.assign(input, { name: '{"delay_ms":1,"next":99,"answer":{"status":500,"body":"', value: '"}}' })
  form.append(input)
  await new Promise((done) => { frame.onload = done; form.submit() })
  return read
})()`

it('is nothing to a page of another origin', async () => {
  await using service = await startLocalService()
  await pushOrders(service.url, 1)
  service.fault({ answer: { status: 418 }, table: 'never' })
  await using elsewhere = await startForeignSite('<p>elsewhere')
  for (const name of ['127.0.0.1', 'localhost', 'evil.example']) {
    const page = await newPage()
    await page.goto(`http://${name}:${elsewhere.port}/`)
    expect(await page.evaluate(ATTACK(service.url))).toEqual([])
    await page.close()
  }
  expect(service.clearFaults()).toBe(1)
  const [overview, clients] = await Promise.all(
    ['overview', 'clients'].map(async (path) => (await fetch(`${service.url}/_local/${path}`)).json()),
  )
  expect(overview).toMatchObject({ settings: { error_rate: 0 }, totals: { rows: 1 } })
  expect(clients).toMatchObject([{ id: 7, import_keys: 1 }])
})

it('is not served under a name that is made to point here', async () => {
  await using service = await startLocalService()
  const page = await newPage()
  const address = `http://evil.example:${service.port}`
  expect((await page.goto(`${address}/_local/`))!.status()).toBe(403)
  expect((await page.goto(address))!.status()).toBe(200)
  const statuses = await page.evaluate(`Promise.all([
    fetch('/_local/overview'), fetch('/_local/tables'), fetch('/_local/clients/7/import-keys', { method: 'POST' }),
  ].map((asked) => asked.then(({ status }) => status, () => 'not for this page')))`)
  // its answers are no pages of that name either
  expect(statuses).toEqual(Array(3).fill('not for this page'))
  await page.close()
  expect(service.rows('t')).toEqual([])
})

it('opens from a link, under every name of this machine, and is shown in nobody’s frame', async () => {
  await using service = await startLocalService()
  const target = `${service.url.replace('127.0.0.1', 'localhost')}/_local/`
  await using elsewhere = await startForeignSite(`<a href="${target}">there</a><iframe src="${target}"></iframe>`)
  const page = await newPage()
  await page.goto(`http://evil.example:${elsewhere.port}/`)
  await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/')
  await page.locator('a').click()
  await expect.poll(() => page.locator('#where').innerText()).toBe('Rows are kept in memory.')
  expect(await page.title()).toBe('Local Analytics Service')
  await page.close()
})
