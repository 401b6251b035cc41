import { expect, test } from 'vitest'
import { RejectCounts } from './report-rejects.ts'

const table = { name: 'orders', keepLast: true }
const rejected = (reason: string, more: object = {}): Parameters<RejectCounts['add']>[0] => {
  return { track: { name: 'orders' }, table, reason, origin: 1, superseded: 0, supersededAt: [], ...more }
}

test('records are counted by place and reason, those they stood for too', () => {
  const counts = new RejectCounts()
  counts.add(rejected('its value is not JSON: it breaks at byte 7 of 90.'), 'orders')
  counts.add(rejected('its value is not JSON: it breaks at byte 8 of 12'), 'orders')
  counts.add(rejected('its key field "id" is null'), 'orders')
  counts.add(rejected('CANARY', { key: 'CANARY', superseded: 4 }), 'orders')
  counts.add(rejected('409: CANARY', { key: 'CANARY' }), 'orders')
  counts.add(rejected('the service says the request is too large (413), CANARY', { key: undefined }), 'users')
  expect(counts.all).toEqual([
    { name: 'orders', table: 'orders', by: 'the service', reason: 'the service answered 400', records: 5 },
    {
      name: 'orders',
      table: 'orders',
      by: 'the connector',
      reason: 'its value is not JSON: it breaks at byte … of …',
      records: 2,
    },
    { name: 'orders', table: 'orders', by: 'the connector', reason: 'its key field "id" is null', records: 1 },
    { name: 'orders', table: 'orders', by: 'the service', reason: 'the service answered 409', records: 1 },
    { name: 'users', table: 'orders', by: 'the service', reason: 'the service answered 413', records: 1 },
  ])
})

test('of too many reasons the rest is counted together', () => {
  const counts = new RejectCounts()
  for (let index = 0; index < 1000; index++) counts.add(rejected(`reason ${'x'.repeat(index)}`), `stream ${index}`)
  expect(counts.all.length).toBeLessThanOrEqual(102)
  expect(counts.all.reduce((sum, { records }) => sum + records, 0)).toBe(1000)
  expect(counts.all[0]).toMatchObject({ name: 'any other', reason: 'any other reason', records: 900 })
  for (const { reason } of counts.all) expect(reason.length).toBeLessThanOrEqual(300)
})
