import { expect, test } from 'vitest'
import { ConnectorError } from './errors.ts'
import { HandRun, bad, checkpoint, clients, orders, record } from './testing/hand-run.ts'
import { settle } from './testing/hand-clock.ts'
import { again } from './testing/outcomes.ts'
import { watchOf } from './testing/watch.ts'
import type { Request } from './types.ts'

const lost = { status: 'retry', cause: 'timeout', ambiguous: true, congestion: false, reason: 'no answer' } as const
const refused = { status: 'refused', reason: 'no such column' } as const

test('a checkpoint is committed when everything before it is delivered, in order, in whatever order answers come', async () => {
  const run = new HandRun()
  await run.give(record(1), record(2), checkpoint('A'), record(3), record(4), checkpoint('B'))
  expect(run.sent).toEqual([
    [1, 2],
    [3, 4],
  ])
  await run.answer(3)
  expect(run.committed).toEqual([])
  await run.answer(1)
  expect(run.committed).toEqual(['A', 'B'])
  await run.finish()
  expect(run.end).toBe('complete')
})

test('a request that is not full is sent when it has waited, though nothing more comes', async () => {
  const run = new HandRun({ lingerMs: 20 })
  await run.give(record(1))
  await run.pass(19)
  expect(run.sent).toEqual([])
  await run.pass(1)
  expect(run.sent).toEqual([[1]])
})

test('of two versions of a row that wait, only the newer one is sent, and both are settled', async () => {
  const run = new HandRun()
  await run.give(record(1, 7), checkpoint('A'), record(2, 7), checkpoint('B'))
  await run.finish()
  expect(run.sent).toEqual([[2]])
  await run.answer(2)
  expect([run.committed, run.end]).toEqual([['A', 'B'], 'complete'])
})

test('a newer version of a row waits while an older one is in flight, so that it cannot be overtaken', async () => {
  const run = new HandRun({ maxPoints: 1 })
  await run.give(record(1, 7))
  await run.give(record(2, 7), record(3, 8))
  expect(run.sent).toEqual([[1], [3]])
  await run.answer(1)
  expect(run.sent).toEqual([[1], [3], [2]])
})

test('after an attempt that may have arrived without an answer, a newer version of its rows waits until that is over', async () => {
  const run = new HandRun({ maxPoints: 1, guardMs: 5000 })
  await run.give(record(1, 7))
  await run.give(record(2, 7))
  await run.answer(1, lost)
  await run.answer(1)
  await run.pass(4999)
  expect(run.sent).toEqual([[1], [1]])
  await run.pass(1)
  expect(run.sent).toEqual([[1], [1], [2]])
})

test('what fails is sent again until its time is spent; then the run ends with an error, and what is settled is committed', async () => {
  const run = new HandRun({ retryForMs: 60_000 })
  await run.give(record(1), record(2), checkpoint('A'), record(3), record(4), checkpoint('B'))
  await run.answer(3, again('server', false))
  expect(run.sent).toEqual([
    [1, 2],
    [3, 4],
    [3, 4],
  ])
  await run.answer(1)
  await run.pass(60_000)
  await run.answer(3, again('server', false))
  expect(run.committed).toEqual(['A'])
  expect(run.end).toMatchObject({ kind: 'transient' })
})

test('no more is read while the buffer is full, and reading goes on when there is room', async () => {
  const run = new HandRun({ bufferBytes: 1 })
  await run.give(record(1), record(2))
  await run.give(record(3))
  expect(run.taken).toBe(1)
  await run.answer(1)
  expect(run.taken).toBe(2)
})

test('a request that is too large is sent in halves', async () => {
  const run = new HandRun({ maxPoints: 4 })
  await run.give(record(1), record(2), record(3), record(4))
  await run.answer(1, { status: 'too-large' })
  expect(run.sent.slice(1)).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('a record that is too large alone is rejected, and settled', async () => {
  const reasons: string[] = []
  const run = new HandRun({ maxPoints: 1 }, ({ reason }) => Promise.resolve(void reasons.push(reason)))
  await run.give(record(1), checkpoint('A'))
  await run.answer(1, { status: 'too-large' })
  expect([run.rejected, reasons, run.committed]).toEqual([[1], [expect.stringContaining('413')], ['A']])
})

test('an answer that must stop the run ends it with its own error, and nothing is sent after it', async () => {
  const run = new HandRun({ maxPoints: 1 })
  const error = new ConnectorError('config', 'program.fault', 'a wrong key')
  await run.give(record(1), record(2), checkpoint('A'))
  await run.answer(1, { status: 'stop', error })
  await run.answer(2)
  expect([run.end, run.committed]).toEqual([error, []])
})

test('a record the service refuses is found and rejected; the others of its request are delivered, and all are settled', async () => {
  const run = new HandRun({ maxPoints: 4 })
  await run.give(record(1), record(2), record(3), record(4), checkpoint('A'))
  await run.answer(1, refused)
  await run.answer(1)
  await run.answer(3, refused)
  await run.answer(3, refused)
  expect(run.rejected).toEqual([3])
  expect(run.committed).toEqual([])
  await run.answer(4)
  expect(run.committed).toEqual(['A'])
})

test('a table that refuses three different records, each alone, stops the run, and none of them is rejected', async () => {
  const run = new HandRun({ maxPoints: 4 })
  await run.give(record(1), record(2), record(3), record(4))
  for (let nth = 0; nth < run.sent.length; nth++) await run.answer(run.sent[nth]![0]!, refused)
  expect([run.rejected, run.end]).toMatchObject([[], { kind: 'config' }])
})

test('where a bad record ends the run, what was read before it is delivered and committed first, and nothing behind it', async () => {
  const run = new HandRun({}, () =>
    Promise.reject(new ConnectorError('config', 'program.fault', 'a record has no key')),
  )
  await run.give(record(1), checkpoint('A'), bad(2), record(3), checkpoint('B'))
  await run.pass(20)
  expect(run.end).toBeUndefined()
  await run.answer(1)
  expect([run.sent, run.committed, run.end]).toMatchObject([[[1]], ['A'], { message: 'a record has no key' }])
})

test('when the input fails, what was read is delivered and committed before the error', async () => {
  const run = new HandRun()
  await run.give(record(1), checkpoint('A'))
  await run.give(new ConnectorError('config', 'program.fault', 'line 2 is broken'))
  await run.pass(20)
  await run.answer(1)
  expect([run.committed, run.end]).toMatchObject([['A'], { message: 'line 2 is broken' }])
})

test('a run that is stopped sends nothing new, waits a while for what is in flight, and commits what that settles', async () => {
  const run = new HandRun({ graceMs: 10_000 })
  await run.give(
    record(1),
    record(2),
    checkpoint('A'),
    record(3),
    record(4),
    checkpoint('B'),
    record(5),
    checkpoint('C'),
  )
  await run.stop()
  await run.answer(1)
  await run.pass(9999)
  expect(run.end).toBeUndefined()
  await run.pass(1)
  expect([run.sent.flat(), run.committed, run.end]).toEqual([[1, 2, 3, 4], ['A'], 'stopped'])
})

test('a checkpoint that cannot be committed stops the run, and none after it is committed', async () => {
  const run = new HandRun()
  run.commitFault = new ConnectorError('transient', 'program.fault', 'standard output is closed')
  await run.give(record(1), record(2), checkpoint('A'), record(3), record(4), checkpoint('B'))
  await run.answer(1)
  run.commitFault = undefined
  await run.answer(3)
  expect([run.committed, run.end]).toMatchObject([[], { message: 'standard output is closed' }])
})

test('what of a revoked track is still to be delivered does not linger in a request that is not full', async () => {
  const run = new HandRun({ maxPoints: 2 })
  await run.give(record(1), record(2), record(3), checkpoint('A'))
  expect(run.sent).toEqual([[1, 2]])
  run.revoked!([{ track: orders, settled: () => {} }])
  await settle()
  expect(run.sent).toEqual([[1, 2], [3]])
  for (const version of [1, 3]) await run.answer(version)
  expect(run.committed).toEqual(['A'])
})

test('of a revoked track only what was sent is still delivered and committed; of a lost one nothing is', async () => {
  const run = new HandRun({ maxPoints: 2 })
  const settled: string[] = []
  await run.give(record(1), checkpoint('A'), record(2), checkpoint('B'), record(3), checkpoint('C'))
  await run.give(record(4, 4, clients), record(5, 5, clients), checkpoint('D', clients))
  run.revoked!([{ track: orders, settled: () => settled.push('orders') }])
  run.lost!([{ track: clients, settled: () => settled.push('clients') }])
  await settle()
  expect([run.sent, settled]).toEqual([
    [
      [1, 2],
      [4, 5],
    ],
    [],
  ])
  for (const version of [1, 4]) await run.answer(version)
  await run.pass(1000)
  expect([run.committed, settled.toSorted()]).toEqual([
    ['A', 'B'],
    ['clients', 'orders'],
  ])
})

test('a watch is told of attempts, checkpoints and the end of reading', async () => {
  const run = new HandRun()
  const told: unknown[] = []
  let begun: Request | undefined
  run.watches.push({
    attemptBegan(request) {
      begun = request
      told.push('began')
    },
    attemptEnded: (request, { status }, ms) => told.push([request === begun, request.points, status, ms]),
    committed: (name) => told.push(name),
    readingEnded: () => told.push('read'),
  })
  await run.give(record(1), record(2), checkpoint('A'))
  await run.pass(30)
  await run.answer(1, lost)
  await run.finish()
  await run.pass(5000)
  await run.answer(1)
  expect(told).toEqual(['began', [true, 2, 'retry', 30], 'began', 'read', [true, 2, 'delivered', 5000], 'A'])
  expect([run.committed, run.end]).toEqual([['A'], 'complete'])
})

test.each(['attemptBegan', 'attemptEnded', 'committed', 'readingEnded'] as const)(
  'a watch that throws in %s ends the run once what was read is delivered, and the others are still told',
  async (faulty) => {
    const run = new HandRun()
    const told: string[] = []
    const fault = new Error('a fault of the report')
    run.watches.push(
      watchOf({
        [faulty]: () => {
          throw fault
        },
      }),
      watchOf({ [faulty]: () => told.push(faulty) }),
    )
    await run.give(record(1), record(2), checkpoint('A'))
    await run.answer(1)
    if (faulty === 'readingEnded') await run.finish()
    await run.give(record(3))
    expect([run.taken, told, run.committed]).toEqual([1, [faulty], ['A']])
    expect(run.end).toMatchObject({ kind: 'system', cause: fault })
  },
)
