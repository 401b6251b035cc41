import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MapperSpace } from '../mapping/mapper-space.ts'
import { Provenance } from '../mapping/provenance.ts'
import { factsOf } from '../mapping/testing/facts.ts'
import type { Origin } from './record-line.ts'
import { sourceOf } from './testing/stdin-source.ts'

const catalog = [factsOf({ name: 'keyed' }), factsOf({ name: 'rows', destinationSyncMode: 'append', primaryKey: [] })]

/** Chunks as a pipe gives them: one buffer, filled again for each. */
function chunksOf(text: Buffer, sizes: readonly number[]): () => AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(text.length + 1)
  return async function* () {
    for (let at = 0, index = 0; at < text.length; index++) {
      const size = Math.min(sizes[index % sizes.length]!, text.length - at)
      buffer.fill(0x78)
      text.copy(buffer, 0, at, at + size)
      at += size
      yield buffer.subarray(0, size)
      await Promise.resolve()
    }
  }
}

function shown(origin: Origin, held: number): string {
  if (typeof origin === 'number') return `${origin} ${held}`
  return `${origin.number} ${held - origin.text.length} ${Buffer.from(origin.text as string, 'latin1').toString()}`
}

/** Every item as text, read like the engine does: a chunk's items are done with before the next are asked for. */
async function read(
  text: string,
  sizes: readonly number[],
  keepsLines = false,
  warn: (message: string) => void = () => {},
): Promise<string[]> {
  const { source } = sourceOf(catalog, chunksOf(Buffer.from(text), sizes), { keepsLines, warn })
  const seen: string[] = []
  for await (const items of source.read(new AbortController().signal)) {
    await new Promise((resolve) => setImmediate(resolve))
    for (const item of items) {
      if (item.kind === 'record')
        seen.push(
          `${shown(item.origin, item.held)} ${item.head.toString('utf8', item.headFrom, item.headTo)}${item.bytes.toString('utf8', item.from, item.to)}`,
        )
      else if (item.kind === 'checkpoint') seen.push(item.checkpoint.bytes.toString())
    }
  }
  return seen
}

it('gives the same items however the input is cut into chunks', async () => {
  const line = fc.oneof(
    fc
      .tuple(fc.nat(30), fc.string({ unit: 'grapheme', maxLength: 20 }))
      .map(
        ([id, text]) =>
          `{"type":"RECORD","record":{"stream":"keyed","data":${JSON.stringify({ id, text })},"emitted_at":${id}}}`,
      ),
    fc.nat(5).map((at) => `{"type":"RECORD","record":{"data":{"keys":${at}},"stream":"rows","emitted_at":${at}}}`),
    fc.constant('{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"keyed"}}}}'),
    fc.constantFrom('', '{"type":"LOG","log":{}}'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
      async (lines, sizes) => {
        const text = lines.join('\n')
        expect(await read(text, sizes)).toEqual(await read(text, [text.length + 1]))
        expect(await read(text, sizes, true)).toEqual(await read(text, [text.length + 1], true))
      },
    ),
    { numRuns: 300 },
  )
})

it('keeps lines as they are, and what they cost, if it is to', async () => {
  const one = '{"type":"RECORD","record":{"stream":"keyed","data":{"id":1,"text":"é\u2028😀"}}}'
  const two = ' {"record":{"data":{"id":2},"stream":"keyed"},"type":"RECORD","rejection":1}\t'
  const text = `\uFEFF${one}\r\n\n${two}`
  const points = ['{"keys":["id"],"id":1,"text":"é\u2028😀"}', '{"keys":["id"],"id":2}']
  expect(await read(text, [7], true)).toEqual([`1 96 ${one}\r ${points[0]}`, `3 96 ${two} ${points[1]}`])
  expect(await read(text, [7])).toEqual([`1 0 ${points[0]}`, `3 0 ${points[1]}`])
})

const HALF = '{"type":"RECORD","record":{"stream":"keyed","data":{"id":1,"text":"é'
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

it.each<[string, Buffer, Error | undefined, number]>([
  ['ends in mid-line', Buffer.from(HALF), undefined, 1],
  ['ends in mid-character', Buffer.from(HALF).subarray(0, -1), undefined, 1],
  ['cannot be read on', Buffer.from('{"type":"LOG"}'), reset, 1],
  ['has a line that is not JSON', Buffer.from('{"type":}'), undefined, 0],
  ['has a line that is no message', Buffer.from('{}'), undefined, 0],
  ['has half a line with an end', Buffer.from(`${HALF}\n`), undefined, 0],
])('awaits a signal to stop only where it was cut off: an input that %s', async (_, bytes, broken, times) => {
  const { signal } = new AbortController()
  const awaited: AbortSignal[] = []
  // eslint-disable-next-line @typescript-eslint/require-await -- an input is asynchronous
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes
    if (broken) throw broken
  }
  const { source } = sourceOf(catalog, chunks, { awaitStop: (of) => Promise.resolve(void awaited.push(of)) })
  const reading = source.read(signal)
  await expect(async () => {
    while ((await reading.next()).done !== true);
  }).rejects.toThrow(broken?.message ?? 'Input line 1 ')
  expect(awaited).toEqual(Array.from({ length: times }, () => signal))
})

it('keeps the bytes of very long lines as they were, rejected ones too, and lets go of them between two', async () => {
  const MIB = 1024 * 1024
  const record = (id: number | null, letter: string): string =>
    `{"type":"RECORD","record":{"stream":"keyed","data":{"id":${id},"x":"${letter.repeat(9 * MIB)}"}}}`
  const state = `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"keyed"}},"x":"${'s'.repeat(9 * MIB)}"}}`
  const texts = [record(null, 'a'), record(2, 'b'), state, record(null, 'c'), record(4, 'd'), record(null, 'e')]
  let collected = 0
  const { source } = sourceOf(catalog, chunksOf(Buffer.from(`${texts.join('\n')}\n`), [65_536]), {
    maxLineBytes: 10 * MIB,
    keepsLines: true,
    collect: () => void collected++,
  })
  const kept: Buffer[] = []
  for await (const items of source.read(new AbortController().signal))
    for (const item of items) {
      if (item.kind === 'checkpoint') kept.push(item.checkpoint.bytes)
      else if (item.kind !== 'closed') kept.push((item.origin as { text: Buffer }).text)
    }
  expect(kept.map((bytes, at) => bytes.equals(Buffer.from(texts[at]!)))).toEqual(texts.map(() => true))
  expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(texts.length)
  expect(collected).toBe(2)
})

it('tells the records of each chunk the time at which they were read', async () => {
  let now = 0
  const space = new MapperSpace(new Provenance('', () => now++))
  const line = '{"type":"RECORD","record":{"stream":"keyed","data":{"id":1}}}\n'
  const chunks = chunksOf(Buffer.from(line.repeat(6)), [2 * line.length])
  const times: string[] = []
  const { source } = sourceOf(catalog, chunks, { space }, { metadataColumns: ['_loaded_at'] })
  for await (const items of source.read(new AbortController().signal))
    for (const item of items)
      if (item.kind === 'record') times.push(item.head.toString('utf8', item.headFrom, item.headTo).slice(-6, -3))
  expect(times).toEqual(['000', '000', '001', '001', '002', '002'])
})

it('warns once that kinds of states are mixed, however often they alternate', async () => {
  const ofStream = '{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"keyed"}}}}\n'
  const ofAll = '{"type":"STATE","state":{"type":"GLOBAL","global":{"stream_states":[]}}}\n'
  const warnings: string[] = []
  await read((ofStream + ofAll).repeat(5), [1000], false, (message) => warnings.push(message))
  expect(warnings).toEqual([expect.stringContaining('mixed')])
})

describe('what comes before', () => {
  const of = (name: string, id: number | null = 1) =>
    `{"type":"RECORD","record":{"stream":"${name}","data":{"id":${id}}}}\n`
  const emptied = factsOf({ name: 'emptied', destinationSyncMode: 'overwrite' })
  const kindsOf = async (text: string, options: Parameters<typeof sourceOf>[2], thrown: string): Promise<string[]> => {
    const { source } = sourceOf([...catalog, emptied], chunksOf(Buffer.from(text), [1000]), options)
    const kinds: string[] = []
    const reading = async (): Promise<void> => {
      for await (const items of source.read(new AbortController().signal)) kinds.push(...items.map(({ kind }) => kind))
    }
    if (thrown === '') await reading()
    else await expect(reading).rejects.toThrow(thrown)
    return kinds
  }

  it.each([
    ['a line that is too long', 'x'.repeat(200), 'Input line 4 is longer than 100 bytes'],
    ['a line that is no message', '{"type":"RECORD"}', 'Input line 4 is a RECORD without'],
    ['a record that its stream may not have', of('emptied'), 'older_rows: keep'],
  ])('%s is yielded', async (_, line, thrown) => {
    const text = `${of('keyed').repeat(3)}${line}\n${of('keyed')}`
    expect(await kindsOf(text, { maxLineBytes: 100 }, thrown)).toEqual(['record', 'record', 'record'])
  })

  it('a rejected record is all that is yielded, if that ends the run', async () => {
    const text = `${of('keyed')}${of('keyed', null)}${of('keyed')}`
    expect(await kindsOf(text, { endsAtRejected: true }, '')).toEqual(['record', 'rejected'])
    expect(await kindsOf(text, {}, '')).toEqual(['record', 'rejected', 'record'])
  })
})
