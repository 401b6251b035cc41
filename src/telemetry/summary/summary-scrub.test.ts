import { expect, test } from 'vitest'
import { ConnectorError, asConnectorError } from '../../core/errors.ts'
import { tableRefused } from '../../core/retry.ts'
import { classify } from '../../service/import/classify.ts'
import { failedWith } from './summary-scrub.ts'

const WORDS = 'CANARY) Three different records, each sent alone, CANARY (CANARY): the key is wrong'

const batch = {
  table: { name: 'orders' },
  track: { name: 'orders' },
  request: { points: 1 },
  attempts: 1,
  firstAt: 0,
  wasStale: false,
}
const target = {
  origin: 'https://import.example.com',
  addressOption: 'import_url',
  clientId: 7,
  scrub: (text: string) => text,
} as never

function stopOf(status: number, body: string): ConnectorError {
  const bytes = Buffer.from(body)
  const answer = { status, headers: {}, body: bytes, length: bytes.length, json: undefined, end: 'whole' as const }
  const outcome = classify(answer, target, 0)
  if (outcome.status !== 'stop') throw new Error(`${status} does not stop a run`)
  return outcome.error
}

test.each<[string, ConnectorError, RegExp, RegExp]>([
  [
    'a table that is refused',
    tableRefused(batch, WORDS),
    /^The service refuses table "orders"/,
    /none was ever accepted.*run again/,
  ],
  [
    'a wrong key',
    stopOf(401, JSON.stringify({ message: WORDS })),
    /^https:\/\/import\.example\.com answered 401/,
    /Check that api_key/,
  ],
  ['a key that may not', stopOf(403, WORDS), /answered 403 for client 7/, /what this key may do/],
  ['no such client', stopOf(404, WORDS), /answered 404 for client 7/, /without \/v2/],
  ['no import interface', stopOf(405, WORDS), /answered 405 for client 7/, /Check import_url/],
  ['a page', stopOf(200, `<html><title>${WORDS}</title></html>`), /answered 200 with an HTML page/, /Check import_url/],
  [
    'what nobody expected',
    asConnectorError(new TypeError(WORDS)),
    /^An unexpected fault stopped the run/,
    /in the log/,
  ],
])('of %s it is told what was found and what to do, not what others said of it', (_name, error, found, remedy) => {
  expect(error.message).toContain('CANARY')
  const ended = failedWith(error)
  expect(ended).toMatchObject({ how: 'failed', kind: error.kind })
  const { message } = ended as { message: string }
  expect(message).not.toContain('CANARY')
  expect(message).toMatch(found)
  expect(message).toMatch(remedy)
  expect(message).toContain('(its words are in the log)')
})

test('words of our own stay whole', () => {
  const error = new ConnectorError(
    'transient',
    'program.fault',
    'Could not deliver to table "orders": it answered 503. Run again.',
  )
  expect(failedWith(error)).toEqual({ how: 'failed', kind: 'transient', code: 'program.fault', message: error.message })
})
