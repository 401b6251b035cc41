import { expect, it } from 'vitest'
import { faultSchema } from './fault-schema.ts'

it.each([
  { table: 'orders', next: 3, answer: { status: 429, headers: {}, body: '' } },
  { delay_ms: 30 },
  { reset: 'before' },
  { reset: 'after', delay_ms: 0, every: 5 },
  { answer: { status: 200, headers: { 'Retry-After': 1, 'X-Many': ['a', 'b'] }, body: { odd: [] } } },
])('takes a fault of the reference: %j', (fault) => {
  expect(faultSchema.parse(fault)).toEqual(fault)
})

it.each<[place: string, fault: object]>([
  ['answer', { answer: 503 }],
  ['answer.status', { answer: { status: 100 } }],
  ['answer.status', { answer: { status: 200.5 } }],
  ['answer.headers', { answer: { status: 500, headers: [] } }],
  ['answer.headers.', { answer: { status: 500, headers: { '': 'x' } } }],
  ['answer.headers.a', { answer: { status: 500, headers: { a: 'x\r\nb: c' } } }],
  ['answer.headers.a', { answer: { status: 500, headers: { a: [1, null] } } }],
  ['answer.body', { answer: { status: 500, body: null } }],
  ...[-1, 2 ** 31, Infinity, Number.NaN, '5'].map((delay_ms) => ['delay_ms', { delay_ms }] as [string, object]),
  ...['A12', 'B3', 4].map((endpoint) => ['endpoint', { endpoint, reset: 'before' }] as [string, object]),
  ...['/v3/invites?x', 'v3/invites', '/v2/client/7/table/t/data', '/_local/clients'].map(
    (path) => ['path', { path, reset: 'before' }] as [string, object],
  ),
  ['', {}],
  ['', { answer: { status: 500 }, reset: 'after' }],
  ['', { next: 1, every: 1, reset: 'after' }],
  ['', { table: 't', endpoint: 'A1', reset: 'after' }],
])('names %j as what is wrong: %j', (place, fault) => {
  expect(faultSchema.safeParse(fault).error?.issues.map(({ path }) => path.join('.'))).toEqual([place])
})
