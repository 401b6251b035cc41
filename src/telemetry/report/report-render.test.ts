import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderReport, REPORT_HEAD } from './report-render.ts'
import { scrubbed } from '../summary/summary-scrub.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import { anySummary, aSummary, NO_RETRIES, stretch } from './testing/report.ts'

const hostile = fc.oneof(
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    '</style><b>',
    '</title>',
    '-->',
    '&lt;&amp;',
    '\u0000\u001b[31m\u202e\ud800',
    'https://example.com/x.js',
    'javascript:alert(1)',
    ']]>',
    '</svg>',
    'x'.repeat(3000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

const VOID = new Set(['meta', 'wbr'])
/** A whole tag, or what is in none. Attributes are quoted; nothing in them opens or closes one. */
const TOKEN = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"<>]*")?)*)\s*(\/?)>|<!doctype html>|([^<>]+)/y
const ATTRIBUTE = /\s+([a-zA-Z-]+)(?:="([^"<>]*)")?/g

interface Page {
  /** Names of elements, and of attributes with what they say. */
  readonly elements: readonly string[]
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly text: string
}

/** Reads a page as strictly as XML. @throws where it is not well formed */
function parsed(page: string): Page {
  const open: string[] = []
  const [elements, attributes, text]: [string[], [string, string][], string[]] = [[], [], []]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < page.length) {
    const at = TOKEN.lastIndex
    const found = TOKEN.exec(page)
    if (!found) throw new Error(`not well formed: ${page.slice(Math.max(0, at - 40), at + 80)}`)
    const [, close, name, given, own, words] = found
    if (words !== undefined && open.at(-1) !== 'style') text.push(words)
    if (name === undefined) continue
    for (const [, attribute, value] of given!.matchAll(ATTRIBUTE)) attributes.push([attribute!, value ?? ''])
    if (close === '/') expect(open.pop(), page.slice(Math.max(0, at - 60), at + 20)).toBe(name)
    else {
      elements.push(name)
      if (own !== '/' && !VOID.has(name)) open.push(name)
    }
  }
  expect(open).toEqual([])
  return { elements, attributes, text: text.join('') }
}

const ELEMENTS = new Set(
  'html head meta title style body main header footer div h1 h2 span p dl dt dd table caption thead tbody tfoot tr th td wbr figure svg path rect ul li details summary'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  'lang charset name content http-equiv class role aria-label scope data-of viewBox preserveAspectRatio d x y width height'.split(
    ' ',
  ),
)

describe('any report', () => {
  test('is a well-formed page of known elements, whose texts are texts', () => {
    fc.assert(
      fc.property(anySummary(hostile), (data) => {
        const page = renderReport(data)
        const { elements, attributes } = parsed(page)
        expect(elements.filter((element) => !ELEMENTS.has(element))).toEqual([])
        expect(attributes.filter(([attribute]) => !ATTRIBUTES.has(attribute))).toEqual([])
        // no control characters, lone surrogates or turns of direction
        expect(page).not.toMatch(
          // oxlint-disable-next-line no-control-regex
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]|[\ud800-\udbff](?![\udc00-\udfff])/,
        )
        expect(page).not.toMatch(/NaN|Infinity|undefined/)
      }),
      { numRuns: 150 },
    )
  })

  test('refers to nothing elsewhere', () => {
    fc.assert(
      fc.property(anySummary(fc.constantFrom('orders', '100 %')), (data) => {
        const page = renderReport(data)
        expect(page).not.toMatch(/https?:|\/\/|url\(|@import|href|src=|<script|<link|<iframe/)
      }),
      { numRuns: 20 },
    )
  })

  test('holds no secret, whatever text it stands in', () => {
    const key = 'k/é+&=%"\\canary<7>'
    const scrubber = new Scrubber([key])
    const leaks = fc.constantFrom(key, `a ${key} b`, encodeURIComponent(key), Buffer.from(key).toString('base64'))
    fc.assert(
      fc.property(anySummary(leaks), (data) => {
        const page = renderReport(scrubbed(data, scrubber.scrub))
        const { text } = parsed(page)
        for (const form of [page, text, scrubber.scrub(page)]) {
          expect(form).not.toContain('canary')
          expect(form).not.toContain(encodeURIComponent(key).slice(0, 12))
        }
        expect(page).not.toContain(Buffer.from(key).toString('base64').slice(0, 16))
      }),
      { numRuns: 40 },
    )
  })
})

test('its policy allows its own style, and nothing else', () => {
  const page = renderReport(aSummary())
  const style = /<style>([^]*)<\/style>/.exec(page)![1]!
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  )
  expect(page).not.toMatch(/ style=/)
  expect(page.startsWith(REPORT_HEAD)).toBe(true)
})

const OUTAGE = {
  from: '2026-03-01T12:00:04.000Z',
  to: '2026-03-01T12:00:06.000Z',
  cause: 'connection refused',
  host: 'import.example.com:443',
}
const REJECT = {
  name: 'orders',
  table: 'orders',
  by: 'rejected' as const,
  reason: 'its key field "id" is null',
  records: 1,
  first: 'input line 7',
}
const CHANGE = { what: 'no-records' as const, name: 'orders', table: null, field: null, before: '12', now: '0' }
const lookOf = (page: string): string => /<span class="end (\w+)">/.exec(page)![1]!

test.each([
  ['nothing to look at', {}, 'good', '>Done<'],
  ['rejected records', { rejected: [REJECT], total: { rejected: 1 } }, 'busy', '>Done, 1 rejected<'],
  ['an outage', { outages: [OUTAGE] }, 'busy', '>Done, 1 outage<'],
  ['a change', { changes: [CHANGE] }, 'busy', '>Done, 1 change<'],
  ['no change', { changes: [] }, 'good', '>Done<'],
  ['an end by a signal', { result: 'stopped' as const, exit_code: 143 }, 'busy', '>Stopped<'],
])('a run with %s is shown as such', (_name, more, look, words) => {
  const page = renderReport(aSummary(more))
  expect(lookOf(page)).toBe(look)
  expect(page).toContain(words)
})

test('where nothing was repeated, rejected or away, there is nothing of it', () => {
  const { text } = parsed(renderReport(aSummary()))
  for (const words of ['retries, at most', 'Rejected records', 'Outage', 'outages', 'Rate limit', 'Limits'])
    expect(text).not.toContain(words)
})

test('the chart shades an outage where it was, and shows retries', () => {
  const samples = [0, 1, 2, 3].map((at) =>
    stretch(at * 2.5, { to: (at + 1) * 2.5, retries: { ...NO_RETRIES, server: at } }),
  )
  const page = renderReport(aSummary({ samples, outages: [OUTAGE] }))
  expect(page).toContain('<rect class="out" x="400" y="0" width="200" height="240"/>')
  expect(page).toMatch(/<path class="rows" d="M0 110L0 10H250L250 10H500/)
  expect(page).toMatch(/<path class="retries" d="M0 240L0 240H250L250 228\.3H500/)
  expect(page).toContain('<details><summary>4 stretches in figures</summary>')
})

test('a stretch in which no connection was had says nothing of how long requests took', () => {
  const refused = { requests: 0, rows: 0, attempts: 4, in_flight: 0.09, retries: { ...NO_RETRIES, network: 4 } }
  const page = renderReport(aSummary({ samples: [stretch(0), stretch(1, refused)] }))
  const took = Array.from(page.matchAll(/<td data-of="A request took">([^<]+)</g), ([, words]) => words)
  expect(took).toEqual(['78 ms', '–'])
})

test.each([
  ['config', 'Something must be changed before it is run again.'],
  ['transient', 'A later run may succeed as it is.'],
  ['system', 'The input, the machine or the connector is at fault.'],
] as const)('a failure of kind %s says what follows', (kind, words) => {
  const error = { kind, code: null, message: 'It failed.' }
  expect(renderReport(aSummary({ result: 'failed', error }))).toContain(`${kind}: ${words}`)
})

test('what is there is told', () => {
  const { text } = parsed(
    renderReport(
      aSummary({
        rejected: [REJECT],
        total: { records: 10, rejected: 1, superseded: 2 },
        outages: [OUTAGE],
        limits: [{ option: 'max_points', title: 'Max data points per request', value: '50' }],
      }),
    ),
  )
  for (const words of [
    'Run report: write',
    'write orders, 2026-03-01 12:00:00 UTC: run report',
    'Superseded',
    '2026-03-01 12:00:00 UTC',
    'import.example.com',
    'p95 90 ms',
    'its key field &quot;id&quot; is null',
    'input line 7',
    'connection refused',
    'destination-analytics-service 1.2.3',
    'max_points',
    'Max data points per request',
  ])
    expect(text).toContain(words)
})

test('a run that failed before it began is told too', () => {
  const error = { kind: 'config' as const, code: null, message: 'The file "x" of --config cannot be read.\none line' }
  const { text } = parsed(
    renderReport(aSummary({ result: 'failed', error, samples: [], rows: [], service: null, held: null })),
  )
  for (const words of [
    'Failed',
    'The file &quot;x&quot; of --config cannot be read.',
    'before anything was read',
    'one line',
  ])
    expect(text).toContain(words)
})

test('240 stretches, three hundred streams and a hundred reasons fit in 250 KB', () => {
  const [row] = aSummary().rows
  const rows = Array.from({ length: 300 }, (_, at) => {
    const name = `a_stream_with_a_name_${at}`
    return { ...row!, name, table: name, counts: { ...row!.counts, records: 1e6 + at } }
  })
  const rejected = Array.from({ length: 100 }, (_, at) => ({ ...REJECT, reason: `reason ${at}: ${'x'.repeat(80)}` }))
  const samples = Array.from({ length: 240 }, (_, at) => stretch(at, { retries: { ...NO_RETRIES, server: at % 7 } }))
  const page = renderReport(aSummary({ rows, rejected, samples }))
  expect(page.length).toBeLessThan(250_000)
  const { text } = parsed(page)
  // those with the most records
  expect(text).toContain('a_stream_with_a_name_299')
  expect(text).not.toContain('a_stream_with_a_name_99<')
  expect(text).toContain('100 streams with fewer records only in the total')
})
