// What a page of another origin makes of the import and the onboarding interface in a real browser.

import type { Page, Response } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests } from './testing/browser-of-tests.ts'
import { startForeignSite } from './foreign-site.ts'

const UPSERT = '/v2/client/7/table/t/data?apikey=demo-key'
/** It shows where it runs: there, it would have everything under /_local. */
const SCRIPT = '<script>document.title=origin</script>'
const BODY = `[{"keys":["${SCRIPT}"],"x":"`

const { newPage } = browserOfTests(['--host-resolver-rules=MAP evil.example 127.0.0.1'])

/** A form that is sent without being asked, as text/plain: `BODY="}]`. */
async function postForm(page: Page, action: string, body: string): Promise<Response | null> {
  const answered = page.waitForNavigation()
  await page.evaluate(
    `(([action, name]) => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'POST', action, enctype: 'text/plain' })
      const input = document.createElement('input')
      Object.assign(input, { name, value: '"}]' })
      form.append(input)
      document.body.append(form)
      form.submit()
    })(${JSON.stringify([action, body])})`,
  )
  const answer = await answered
  await page.waitForLoadState('networkidle')
  return answer
}

it.each(['localhost', '127.0.0.1', 'evil.example'])('runs nothing that a page under %s posts', async (name) => {
  await using service = await startLocalService({ compat: true })
  await using elsewhere = await startForeignSite('<p>elsewhere')
  const page = await newPage()
  await page.goto(`http://${name}:${elsewhere.port}/`)
  const answer = await postForm(page, service.url + UPSERT, BODY)
  expect(await page.title()).toBe('')
  expect(answer!.status()).toBe(403)
  await page.close()
})

it('runs nothing in answers either, of whatever label and from whomever', async () => {
  await using elsewhere = await startForeignSite('<p>elsewhere')
  const origin = `http://localhost:${elsewhere.port}`
  await using service = await startLocalService({ compat: true, allowOrigins: [origin] })
  const page = await newPage()
  for (const scripted of [false, true]) {
    await page.goto(origin)
    if (scripted) service.fault({ answer: { status: 400, body: SCRIPT } })
    const answer = await postForm(page, service.url + UPSERT, BODY)
    expect(await page.title()).toBe('')
    expect(answer!.status()).toBe(400)
    expect(answer!.headers()['content-type']).toBe('text/html; charset=UTF-8')
    expect(await answer!.text()).toContain(scripted ? SCRIPT : String.raw`\u003cscript\u003e`)
    expect(await page.locator('script').count()).toBe(scripted ? 1 : 0)
  }
  await page.close()
})

const USE = (url: string): string => `Promise.all([
  fetch('${url}${UPSERT}', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '[{"keys":["id"],"id":1}]',
  }).then(async (answer) => [answer.status, (await answer.json()).status]),
  fetch('${url}/v1/tokens', { method: 'POST', credentials: 'include', body: '{}' }).then(({ status }) => [status]),
  fetch('${url}/_local/faults', { method: 'DELETE' }).then(({ status }) => [status]),
].map((asked) => asked.catch(() => 'not for this page')))`

it('is used by pages of an allowed origin, and by no others', async () => {
  await using elsewhere = await startForeignSite('<p>elsewhere')
  const origin = `http://localhost:${elsewhere.port}`
  await using service = await startLocalService({ allowOrigins: [origin] })
  const page = await newPage()
  await page.goto(`http://127.0.0.1:${elsewhere.port}/`)
  expect(await page.evaluate(USE(service.url))).toEqual(Array(3).fill('not for this page'))
  expect(service.rows('t')).toEqual([])
  await page.goto(origin)
  expect(await page.evaluate(USE(service.url))).toEqual([[201, 'complete'], [400], [200]])
  await page.close()
})
