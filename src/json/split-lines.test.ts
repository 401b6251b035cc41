import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineTooLong, LineSplitter, type Lines } from './split-lines.ts'

interface Line {
  readonly number: number
  readonly text: string
  readonly unterminated: boolean
}

function texts(lines: Lines): Line[] {
  return Array.from({ length: lines.count }, (_, i) => ({
    number: lines.firstLine + i,
    text: lines.bytes.toString('latin1', lines.bounds[2 * i], lines.bounds[2 * i + 1]),
    unterminated: lines.unterminated,
  }))
}

/** Splits, giving each chunk in a buffer that is overwritten as soon as its lines are handled. */
function split(chunks: readonly Uint8Array[], splitter = new LineSplitter()): Line[] {
  const found: Line[] = []
  for (const chunk of chunks) {
    const reused = Uint8Array.from(chunk)
    for (const lines of splitter.push(reused)) found.push(...texts(lines))
    reused.fill(0x58)
  }
  for (const lines of splitter.end()) found.push(...texts(lines))
  return found
}

test('any cutting into chunks gives the same lines, numbers and ends', () => {
  const byte = fc.oneof(fc.constant(10), fc.constantFrom(13, 65, 0xe2, 0x80, 0xa8))
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 8 }), (bytes, cuts) => {
      const all = Uint8Array.from(bytes)
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length]
      const chunks = places.slice(1).map((to, i) => all.subarray(places[i], to))
      const parts = Buffer.from(all).toString('latin1').split('\n')
      const expected = parts.map((text, i) => ({ number: i + 1, text, unterminated: i === parts.length - 1 }))
      if (expected.at(-1)?.text === '') expected.pop()
      expect(split(chunks)).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
})

test('only byte 10 ends a line: not CR, U+2028, U+2029 or U+0085', () => {
  const text = 'a\u2028b\u2029c\u0085d\re\n'
  expect(split([Buffer.from(text)]).map((line) => Buffer.from(line.text, 'latin1').toString())).toEqual([
    'a\u2028b\u2029c\u0085d\re',
  ])
})

test('a chunk is viewed, not copied; a line begun before is its own Lines', () => {
  const splitter = new LineSplitter()
  expect([...splitter.push(Buffer.from('ab'))]).toEqual([])
  const chunk = Buffer.from('cd\nef\ngh\nij')
  const [joined, viewed, ...rest] = [...splitter.push(chunk)]
  expect(rest).toEqual([])
  expect(texts(joined!)).toEqual([{ number: 1, text: 'abcd', unterminated: false }])
  expect(texts(viewed!).map((line) => [line.number, line.text])).toEqual([
    [2, 'ef'],
    [3, 'gh'],
  ])
  expect(viewed?.bytes.buffer).toBe(chunk.buffer)
})

test('Lines already yielded stay as they are while later ones are made', () => {
  const splitter = new LineSplitter()
  const first = [...splitter.push(Buffer.from('a\nb\nc'))]
  const second = [...splitter.push(Buffer.from('d\ne\nf\n'))]
  expect([...first, ...second].flatMap(texts).map((line) => line.text)).toEqual(['a', 'b', 'cd', 'e', 'f'])
})

test('a line of 20 MB in chunks of 64 KB arrives whole', () => {
  const chunk = Buffer.alloc(65_536, 'x')
  const chunks = [Buffer.from('first\n'), ...Array.from({ length: 320 }, () => chunk), Buffer.from('!\nlast')]
  const splitter = new LineSplitter()
  const lines: Lines[] = []
  for (const piece of chunks) lines.push(...splitter.push(piece))
  lines.push(...splitter.end())
  expect(lines.map((each) => each.firstLine)).toEqual([1, 2, 3])
  const long = lines[1]!
  expect([long.bounds[0], long.bounds[1]]).toEqual([0, 320 * 65_536 + 1])
  expect(long.bytes[320 * 65_536]).toBe(0x21)
})

test('every line has an LF behind it in its buffer, also the last one without', () => {
  const splitter = new LineSplitter()
  const lines = [...splitter.push(Buffer.from('a\nb'))].concat([...splitter.end()])
  for (const { bytes, bounds, count } of lines) expect(bytes[bounds[2 * count - 1]!]).toBe(10)
})

test.each([
  ['in one chunk', ['a\nbb\nccccc\nd\n'], ['a', 'bb']],
  ['begun in an earlier chunk', ['a\nccc', 'cc\nd\n'], ['a']],
  ['never ended', ['a\ncc', 'cc', 'cc'], ['a']],
])('a line beyond the limit, %s: what was before it comes first', (_, chunks, before) => {
  const splitter = new LineSplitter({ maxLineBytes: 4 })
  const found: string[] = []
  const run = (): void => {
    for (const chunk of chunks)
      for (const lines of splitter.push(Buffer.from(chunk))) found.push(...texts(lines).map((line) => line.text))
  }
  expect(run).toThrow(new LineTooLong(before.length + 1, 4))
  expect(found).toEqual(before)
})

test('a line of exactly the limit passes', () => {
  expect(
    split([Buffer.from('aa'), Buffer.from('aa\nbbbb\n')], new LineSplitter({ maxLineBytes: 4 })).map(
      (line) => line.text,
    ),
  ).toEqual(['aaaa', 'bbbb'])
})

const MIB = 1024 * 1024
const inChunks = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    Buffer.from(bytes.subarray(index * size, (index + 1) * size)),
  )

test.each([1, 2])('very long lines share a buffer, one after another, unless it is kept (with %i ends)', (ends) => {
  const long = (letter: string, length: number): string => letter.repeat(length)
  const texts = [
    long('a', 3 * MIB),
    'b',
    long('c', 2 * MIB),
    long('d', 4 * MIB),
    long('e', MIB + 1),
    long('f', MIB - 1),
  ]
  const input = Buffer.from(texts.join('\n') + '\n'.repeat(ends - 1))
  const splitter = new LineSplitter({ maxLineBytes: 4 * MIB, onLong: () => {} })
  const found: string[] = []
  const kept: [Lines, string][] = []
  const take = (lines: Lines): void => {
    const all = Array.from({ length: lines.count }, (_, i) =>
      lines.bytes.toString('latin1', lines.bounds[2 * i], lines.bounds[2 * i + 1]),
    )
    found.push(...all)
    expect(lines.keep !== undefined).toBe(all.length === 1 && all[0]!.length > MIB)
    if (all[0]!.startsWith('c') || all[0]!.startsWith('d')) {
      lines.keep!()
      kept.push([lines, all[0]!])
    }
    expect(lines.bytes[lines.bounds[2 * lines.count - 1]!]).toBe(10)
  }
  for (const chunk of inChunks(input, 65_536)) for (const lines of splitter.push(chunk)) take(lines)
  for (const lines of splitter.end()) take(lines)
  expect(found).toEqual(texts)
  expect(kept.map(([{ bytes, bounds }]) => bytes.toString('latin1', bounds[0], bounds[1]))).toEqual(
    kept.map(([, text]) => text),
  )
  expect(new Set(kept.map(([{ bytes }]) => bytes.buffer)).size).toBe(2)
})

test('a very long line beyond the limit is none, and leaves nothing behind', () => {
  const splitter = new LineSplitter({ maxLineBytes: 2 * MIB, onLong: () => {} })
  const chunk = Buffer.alloc(65_536, 'x')
  const run = (): void => {
    for (let times = 0; times < 40; times++) expect([...splitter.push(chunk)]).toEqual([])
  }
  expect(run).toThrow(new LineTooLong(1, 2 * MIB))
  expect([...splitter.end()]).toEqual([])
})

test('says which line and what limit', () => {
  const error = new LineTooLong(7, 100)
  expect([error.name, error.line, error.limit, error.message]).toEqual([
    'LineTooLong',
    7,
    100,
    'line 7 is longer than 100 bytes',
  ])
})
