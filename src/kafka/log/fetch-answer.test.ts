import { expect, test } from 'vitest'
import { FetchFrames } from './fetch-frames.ts'
import * as fc from 'fast-check'

interface Answer {
  readonly id: number
  readonly isFetch: boolean
  readonly body: Uint8Array
}

const anyAnswers = fc
  .array(fc.record({ isFetch: fc.boolean(), body: fc.uint8Array({ maxLength: 50 }) }), { maxLength: 12 })
  .map((answers) => answers.map((answer, id): Answer => ({ ...answer, id })))

function bytesOf({ id, body }: Answer): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32BE(4 + body.length)
  head.writeInt32BE(id, 4)
  return Buffer.concat([head, body])
}

/** @param cuts sizes of the chunks, over and over */
function* chunksOf(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; at += cuts[index++ % cuts.length]!)
    yield bytes.subarray(at, at + cuts[index % cuts.length]!)
}

test('every answer passes whole, in order, and each to a fetch is looked at once', () => {
  fc.assert(
    fc.property(anyAnswers, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (answers, cuts) => {
      const looked: Buffer[] = []
      const passed: Buffer[] = []
      const frames = new FetchFrames()
      for (const { id, isFetch } of answers) if (isFetch) frames.watch(id, (frame) => looked.push(Buffer.from(frame)))
      const bytes = Buffer.concat(answers.map(bytesOf))
      for (const chunk of chunksOf(bytes, cuts)) frames.push(chunk, (some) => void passed.push(Buffer.from(some)))
      expect(passed).toEqual(answers.map(bytesOf))
      expect(looked).toEqual(answers.filter(({ isFetch }) => isFetch).map(bytesOf))
    }),
    { numRuns: 500 },
  )
})

test('what is given for an answer is what passes', () => {
  const frames = new FetchFrames()
  const finish = (frame: Buffer): Buffer => Buffer.concat([frame.subarray(0, 8), Buffer.alloc(4, 0xaa)])
  frames.plan(3, (bytes) => ({ keptBytes: bytes, finish }))
  const passed: Buffer[] = []
  const answer = bytesOf({ id: 3, isFetch: true, body: Buffer.from('body') })
  frames.push(answer, (bytes) => void passed.push(bytes))
  expect(passed).toHaveLength(1)
  expect(passed[0]!.subarray(8)).toEqual(Buffer.alloc(4, 0xaa))
  expect(answer.subarray(8).toString()).toBe('body')
})

test('bytes of a login pass, also such as are shorter than an id', () => {
  const frames = new FetchFrames()
  frames.watch(1, () => expect.fail('it is no answer'))
  const passed: Buffer[] = []
  for (const size of [0, 1, 3]) {
    const chunk = Buffer.concat([Buffer.from([0, 0, 0, size]), Buffer.alloc(size, 7)])
    frames.push(chunk, (bytes) => void passed.push(bytes))
    expect(Buffer.concat(passed.splice(0))).toEqual(chunk)
  }
})

test('nothing passes of an answer that is cut off', () => {
  const frames = new FetchFrames()
  const answer = bytesOf({ id: 3, isFetch: false, body: Buffer.from('body') })
  for (const byte of answer.subarray(0, -1)) frames.push(Buffer.of(byte), () => expect.fail('it was not whole'))
})

test.each([-1, -(2 ** 31), 2 ** 31 - 1])('an answer of %i bytes is none', (size) => {
  const frames = new FetchFrames()
  const head = Buffer.alloc(8)
  head.writeInt32BE(size)
  expect(() => frames.push(head, () => expect.fail('nothing passes'))).toThrow(`an answer of ${size} bytes`)
})

test('of an answer only the beginning is kept where no more is to be, and what comes behind it passes', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 1 })
  fc.assert(
    fc.property(cuts, fc.integer({ min: 8, max: 600_008 }), (cuts, kept) => {
      const frames = new FetchFrames()
      const begun: number[] = []
      const finish = (head: Buffer): Buffer => Buffer.from(`${head.readInt32BE(4)} of ${head.length}`)
      frames.plan(3, (bytes) => (begun.push(bytes), { keptBytes: kept, finish }))
      const long = bytesOf({ id: 3, isFetch: true, body: new Uint8Array(600_000) })
      const other = bytesOf({ id: 4, isFetch: false, body: Buffer.from('other') })
      const passed: string[] = []
      for (const chunk of chunksOf(Buffer.concat([long, other]), cuts))
        frames.push(chunk, (bytes) => void passed.push(bytes.toString('latin1')))
      expect([begun, passed]).toEqual([[long.length], [`3 of ${kept}`, other.toString('latin1')]])
    }),
    { numRuns: 200 },
  )
})
