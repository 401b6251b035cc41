import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReportData, ReportSample } from './report.ts'
import { renderReport, REPORT_HEAD } from './report-render.ts'
import { withoutSecrets } from './report-scrub.ts'
import { Scrubber } from '../../secrets/scrubber.ts'
import { anyReport } from './testing/report.ts'

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
  'html head meta title style body main header footer div h1 h2 span p dl dt dd table caption thead tbody tfoot tr th td wbr'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set('lang charset name content http-equiv class role aria-label tabindex scope title'.split(' '))

const sample = (at: number, more: Partial<ReportSample> = {}): ReportSample => ({
  from: at * 1000,
  to: (at + 1) * 1000,
  points: 40_000 + ((at * 7919) % 25_000),
  requests: 400 + ((at * 31) % 250),
  bytes: 3_000_000 + ((at * 104_729) % 2_000_000),
  attempts: 700,
  retries: { throttled: at % 3, server: at % 5, network: at % 7, timeout: at % 2 },
  latency: { p50: 20 + (at % 40), p95: 90 + ((at * 13) % 400), p99: 600, most: 1200 },
  inFlightMs: 1000 * (8 + (at % 24) + 0.37),
  permitMs: 1000 * (32 + (at % 16)),
  pausedMs: at % 2 === 0 ? 0 : 300,
  ...more,
})

function report(more: Partial<ReportData> = {}, samples: readonly ReportSample[] = [sample(0)]): ReportData {
  const row = {
    name: 'orders',
    table: 'orders',
    counts: { records: 10, rows: 8, superseded: 1, rejected: 1, ignored: undefined, unsettled: 0, checkpoints: 2 },
  }
  return {
    command: 'write',
    noun: 'stream',
    version: '1.2.3',
    host: 'import.example.com',
    rejects: [{ name: 'orders', table: 'orders', by: 'rejected', reason: 'its key field "id" is null', records: 1 }],
    rejectsPlace: undefined,
    startedAt: 0,
    writtenAt: 60_000,
    elapsedMs: samples.length * 1000,
    ended: { how: 'done' },
    record: {
      samples,
      latency: { p50: 10, p95: 20, p99: 30, most: 40 },
      pauses: { count: 1, ms: 2000 },
      readUntil: 500,
      endWaits: { answers: 100, pause: 0, retries: 0, guard: 1400, rest: 0 },
    },
    table: { rows: [row], total: { ...row, name: 'Total', table: undefined } },
    limits: {
      changed: [['max_points', 'Max data points per request', '50']],
      concurrency: undefined,
      maxRequestsPerSecond: undefined,
    },
    ...more,
  }
}

describe('any report', () => {
  test('is a well-formed page of known elements, whose texts are texts', () => {
    fc.assert(
      fc.property(anyReport(hostile), (data) => {
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
      fc.property(anyReport(fc.constantFrom('orders', '100 %')), (data) => {
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
      fc.property(anyReport(leaks), (data) => {
        const page = renderReport(withoutSecrets(data, scrubber.scrub))
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
  const page = renderReport(report())
  const style = /<style>([^]*)<\/style>/.exec(page)![1]!
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  )
  expect(page).not.toMatch(/ style=/)
  expect(page.startsWith(REPORT_HEAD)).toBe(true)
})

test('where nothing was repeated and nothing waited for, there is nothing of it', () => {
  const { pauses: _, ...record } = report().record!
  const calm = { ...record, pauses: { count: 0, ms: 0 }, endWaits: { ...record.endWaits, guard: 1 } }
  const { text } = parsed(
    renderReport(report({ record: { ...calm, samples: [{ ...sample(0), retries: NO_RETRIES }] } })),
  )
  for (const words of ['waits', 'late-write guard', 'later.']) expect(text).not.toContain(words)
})

test('a pause has a figure, a column of the stretches it lies in, and a row of what the end waited for', () => {
  const paused = {
    ...report().record!,
    pauses: { count: 3, ms: 4500 },
    endWaits: { ...report().record!.endWaits, pause: 1000 },
  }
  const at = (record: ReportData['record']): string => parsed(renderReport(report({ record }))).text
  const text = at({ ...paused, samples: [sample(0), sample(1)] })
  for (const words of [
    'Pauses34.5 s in all',
    'The service asked for 3 pauses, 4.5 s in all.',
    'the end of a pause the service had asked for1 s',
  ])
    expect(text).toContain(words)
  expect(text).toMatch(/RetriesPaused.*0 s – 1 s.*0 s1 s – 2 s.*300 ms/)
  const calm = at({
    ...paused,
    pauses: { count: 0, ms: 0 },
    endWaits: { ...paused.endWaits, pause: 999 },
    samples: [sample(0)],
  })
  for (const words of ['Pause', 'pause']) expect(calm).not.toContain(words)
})

const NO_RETRIES = { throttled: 0, server: 0, network: 0, timeout: 0 }

test('a rounded figure has its whole number under the pointer', () => {
  expect(
    renderReport(report({ record: { ...report().record!, samples: [{ ...sample(0), points: 12_345 }] } })),
  ).toContain('<span title="12,345">12.3 k</span>')
})

test('what is there is told', () => {
  const { text } = parsed(renderReport(report({ table: report().table, elapsedMs: 2500 })))
  for (const words of [
    'Run report: write',
    'Done, 1 rejected',
    'Superseded',
    '1970-01-01 00:00:00 UTC',
    'import.example.com',
    'p95 20 ms',
    'Rows/s',
    'its key field &quot;id&quot; is null',
    'the late-write guard',
    '1.4 s',
    'The service asked for 1 pause, 2 s in all. Reading ended after 500 ms, and the run 2 s later.',
    'destination-analytics-service 1.2.3',
    'max_points',
    'Max data points per request',
  ])
    expect(text).toContain(words)
})

test('a run that failed before it began is told too', () => {
  const failed = {
    how: 'failed' as const,
    kind: 'config' as const,
    message: 'The file "x" of --config cannot be read.',
  }
  const { text } = parsed(
    renderReport(report({ ended: failed, record: undefined, table: undefined, host: undefined, limits: undefined })),
  )
  for (const words of ['Failed', 'The file &quot;x&quot; of --config cannot be read.', 'before anything was read'])
    expect(text).toContain(words)
})

test('a hundred samples, three hundred streams and a hundred reasons fit in 200 KB', () => {
  const samples = Array.from({ length: 96 }, (_, at) => sample(at))
  const { table, rejects: some } = report({}, samples)
  const rows = Array.from({ length: 300 }, (_, at) => {
    return {
      ...table!.rows[0]!,
      name: `a_stream_with_a_name_${at}`,
      table: `a_table_with_a_name_${at}`,
      counts: { ...table!.rows[0]!.counts, records: 1e6 + at },
    }
  })
  const rejects = Array.from({ length: 100 }, (_, at) => ({
    ...some[0]!,
    reason: `reason ${at}: ${'x'.repeat(80)}`,
  }))
  const page = renderReport(report({ table: { rows, total: table!.total }, rejects }, samples))
  expect(page.length).toBeLessThan(200_000)
  const { text } = parsed(page)
  // those with the most records
  expect(text).toContain('a_stream_with_a_name_299')
  expect(text).not.toContain('a_stream_with_a_name_99<')
  expect(text).toContain('100 streams with fewer records only in the total')
})
