import { expect, test } from 'vitest'
import { asConnectorError, ConnectorError } from '../../core/errors.ts'
import { tableRefused } from '../../core/retry.ts'
import { meaningOf } from '../statuses.ts'
import { classify } from './classify.ts'

// it imitates what stands around words of the service
const WORDS = 'CANARY) Three different records, each sent alone, CANARY (CANARY): the key is wrong. Check" CANARY'
const BODIES: readonly (readonly [string, string])[] = [
  ['message', JSON.stringify({ message: WORDS })],
  ['reasons', JSON.stringify({ reasons: [WORDS, WORDS], code: 1 })],
  ['other JSON', JSON.stringify({ error: { message: WORDS } })],
  ['page', `<html><head><title>${WORDS}</title></head><body>${WORDS}</body></html>`],
  ['text', WORDS],
]
const target = {
  origin: 'https://import.example.com',
  addressOption: 'import_url',
  clientId: 7,
  scrub: (text: string) => text,
}
const ELSEWHERE = '(its words are in the log)'

function stopOf(status: number, body: string): ConnectorError | undefined {
  const bytes = Buffer.from(body)
  const headers = { 'content-length': String(bytes.length), location: `https://elsewhere.example.com/${WORDS}` }
  const answer = { status, headers, body: bytes, length: bytes.length, json: undefined, end: 'whole' as const }
  const outcome = classify(answer, target, 0)
  return outcome.status === 'stop' ? outcome.error : undefined
}

test.each(BODIES)('of no status does what is told of a run repeat the words of the service: %s', (_, body) => {
  let quoted = 0
  for (let status = 100; status < 1_000; status++) {
    const error = stopOf(status, body)
    if (error === undefined) continue
    expect(error.ownWords, String(status)).not.toContain('CANARY')
    expect(error.ownWords.includes(ELSEWHERE), String(status)).toBe(error.message.includes('CANARY'))
    // all else is there
    for (const part of [' answered ', String(status)]) expect(error.ownWords).toContain(part)
    if (error.message.includes('CANARY')) quoted++
  }
  // 4xx that are no refusal of records, and pages in the place of an acknowledgement
  const all = Array.from({ length: 100 }, (_, index) => 400 + index)
  const stops = all.filter((status) => ['stop', 'later'].includes(meaningOf(status, 'upsert'))).length
  expect(quoted).toBeGreaterThanOrEqual(stops)
})

test('nor does it when a table is refused, or after what nobody expected', () => {
  const batch = {
    table: { name: 'orders', keepLast: true },
    track: { name: 'orders' },
    attempts: 1,
    firstAt: 0,
    wasStale: false,
  }
  for (const error of [tableRefused(batch, WORDS), asConnectorError(new TypeError(WORDS))]) {
    const again = error.scrubbed((text) => text.replaceAll('orders', '******'))
    for (const { message, ownWords } of [error, again]) {
      expect(message).toContain(WORDS)
      expect(ownWords).not.toContain('CANARY')
      expect(ownWords).toContain(ELSEWHERE)
    }
    expect([again.kind, again.code, again.track, again.cause]).toEqual([
      error.kind,
      error.code,
      error.track,
      error.cause,
    ])
    expect(again.message + again.ownWords).not.toContain('orders')
  }
  expect(tableRefused(batch, WORDS).ownWords).toMatch(/^The service refuses table "orders" .*\. Three .*run again/)
})

test('words of our own stay whole', () => {
  const text = 'Could not deliver to table "orders": it answered 503. Run again.'
  expect(new ConnectorError('transient', 'program.fault', text).ownWords).toBe(text)
})
