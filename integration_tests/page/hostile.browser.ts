import { expect, it } from 'vitest'
import { startLocalService } from '../../src/local-service/start.ts'
import { browserOfTests, texts } from './testing/browser-of-tests.ts'
import { push } from './push.ts'

const { openPage } = browserOfTests()

const MARKUP = [
  '<img src=x onerror="window.hacked=1">',
  '</script><script>window.hacked=1</script>',
  '"><svg onload=window.hacked=1>',
  'javascript:window.hacked=1',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u202egnitirw eht snrut siht\u202c',
  'a\u0000b\u0007\u2028c\ufeff',
  '\ud83d',
]

/** What the page has that its own file has not. */
const INTRUDERS = `({
  hacked: window.hacked ?? null,
  odd: document.querySelectorAll('main img, main script, main iframe, main a:not(#rows-json, #rows-csv), main svg, main style, main b').length,
})`

it('shows rows that hold markup as what they are', async () => {
  await using service = await startLocalService()
  const rows = MARKUP.map((text, id) =>
    JSON.stringify({ keys: ['id'], id, text, [text]: text, nested: { [text]: [text] } }),
  )
  for (const row of rows) expect(await push(service.url, { table: 'hostile' }, row)).toBe(201)
  const odd = '{"keys":["__proto__"],"__proto__":"x","constructor":"y","toString":1,"hasOwnProperty":[],"x":1,"x":2}'
  expect(await push(service.url, { table: 'constructor' }, odd)).toBe(201)
  await using opened = await openPage(service.url)
  const { page } = opened
  await page.locator('#tables-grid td', { hasText: 'hostile' }).click()
  await page.locator('#rows-more').click()
  await page.locator('#rows-order').selectOption('first')
  await page.keyboard.press('Escape')
  await expect.poll(() => texts(page, '#rows-grid tbody tr:first-child td:first-child')).toEqual(['1'])
  const shown = await page.locator('#rows-grid').textContent()
  for (const text of MARKUP.slice(0, 5)) expect(shown).toContain(text)
  expect(shown).toContain(String.raw`\u{202e}gnitirw`)
  expect(shown).toContain(String.raw`a\u{0}b\u{7}\u{2028}c\u{feff}`)
  for (const hidden of ['\u202e', '\u0000', '\ufeff']) expect(shown).not.toContain(hidden)
  for (const [index, row] of rows.entries()) {
    await page.locator(`#rows-grid tbody tr:nth-child(${index + 1}) td:nth-child(4) button`).click()
    await page.locator('#value-raw').click()
    await expect.poll(() => page.locator('#value-text').textContent()).toBe(row)
    await page.keyboard.press('Escape')
  }
  await page.locator('#tables-grid td', { hasText: 'constructor' }).click()
  await expect
    .poll(() => texts(page, '#rows-grid th'))
    .toEqual(['#', '__proto__', 'Written ↓', 'JSON', 'constructor', 'toString', 'hasOwnProperty', 'x', 'keys'])
  expect(await page.locator('#rows-grid tbody tr').innerText()).toMatch(/^1\tx\t[\d:]{8}\t\{\}\ty\t1\t\[\]\t2\t/)
  expect(await page.evaluate(INTRUDERS)).toEqual({ hacked: null, odd: 0 })
})

it('cuts values of a megabyte, rows of many fields and tables of long names', async () => {
  await using service = await startLocalService()
  const long = `<b>${'漢x'.repeat(250_000)}`
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field ${index}`, index]))
  await push(service.url, { table: 'large' }, [{ keys: ['id'], id: 1, long, list: Array(5000).fill(1) }])
  await push(service.url, { table: 'wide' }, [{ keys: ['field 0'], ...wide }])
  await push(service.url, { table: 'T'.repeat(250) }, [{ keys: ['id'], id: 1 }])
  await push(service.url, { table: 'U'.repeat(5000) }, [{ keys: ['id'], id: 1 }])
  await using opened = await openPage(service.url, 'tables', { viewport: { width: 360, height: 740 } })
  const { page } = opened
  await page.locator('#tables-select').selectOption({ label: 'large: 1 row' })
  await page.locator('#rows-grid td.string.cut').waitFor()
  expect((await page.locator('#rows-grid').textContent())!.length).toBeLessThan(600)
  await page.getByRole('button', { name: /^Show all of long, 976\.\d KiB$/ }).click()
  await expect.poll(() => page.locator('#value-note').innerText()).toBe('The first 50,000 of 500,003 characters.')
  await page.locator('#value-all').click()
  expect(await page.evaluate('document.querySelector("#value-text").textContent')).toBe(long)
  await page.keyboard.press('Escape')
  await page.locator('#tables-select').selectOption({ label: 'wide: 1 row' })
  await expect.poll(() => page.locator('#rows-fields').innerText()).toBe('60 of 301 fields ▾')
  expect(await page.locator('#rows-grid th').count()).toBe(63)
  expect(await page.locator('#tables-more').innerText()).toBe('And 1 more table: GET /_local/tables lists all.')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await page.evaluate(INTRUDERS)).toEqual({ hacked: null, odd: 0 })
})

it('loads no more than a page of a large table', async () => {
  await using service = await startLocalService()
  for (let from = 0; from < 20_000; from += 100) {
    const points = Array.from({ length: 100 }, (_, index) => ({
      keys: ['id'],
      id: from + index,
      text: 'x'.repeat(200),
    }))
    await push(service.url, { table: 'large' }, points)
  }
  await using opened = await openPage(service.url)
  const { page } = opened
  let received = 0
  page.on('response', (response) => {
    if (response.url().includes('/tables/')) void response.body().then((body) => (received += body.length))
  })
  await page.locator('#tables-grid td', { hasText: 'large' }).click()
  await expect.poll(() => page.locator('#rows-place').innerText()).toBe('1 to 50 of 20,000 rows, last written first')
  await page.locator('#rows-last').click()
  await expect
    .poll(() => page.locator('#rows-place').innerText())
    .toBe('19,951 to 20,000 of 20,000 rows, last written first')
  expect(await page.locator('#rows-grid tbody tr').count()).toBe(50)
  await expect.poll(() => received).toBeGreaterThan(10_000)
  expect(received).toBeLessThan(200_000)
})
