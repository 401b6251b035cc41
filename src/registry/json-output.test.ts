import { expect, test } from 'vitest'
import { JsonOutput } from './json-output.ts'

function written(write: (output: JsonOutput) => void): string {
  const output = new JsonOutput()
  output.begin(0)
  write(output)
  return output.take().toString()
}

test.each([
  ['', '""'],
  ['plain', '"plain"'],
  ['Zürich 🎉', '"Zürich 🎉"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\n\t\u0000\u001f', '"\\n\\t\\u0000\\u001f"'],
  ['é"', '"é\\""'],
  ['\u2028\u007f\ufeff\ufffd', '"\u2028\u007f\ufeff\ufffd"'],
])('the string %j is %s', (text, json) => {
  const source = Buffer.from(`\u00e9${text}\u00e9`)
  expect(written((output) => output.string(source, 2, source.length - 2))).toBe(json)
})

test.each(['80', 'c0af', 'eda080', 'f4908080', 'c3', '22c3', 'e28a', '41ff'])('%s is not UTF-8', (hex) => {
  const source = Buffer.from(hex, 'hex')
  expect(() => written((output) => output.string(source, 0, source.length))).toThrow('holds a string that is not UTF-8')
})

test('grows, keeping what is written', () => {
  const long = 'x'.repeat(100_000)
  const json = written((output) => {
    for (let index = 0; index < 1000; index++) output.byte(48 + (index % 10))
    output.ascii(long)
    output.literal(Buffer.from('é'.repeat(5000)))
    output.base64(Buffer.alloc(30_000), 0, 30_000)
    output.string(Buffer.from('\u0001'.repeat(50_000)), 0, 50_000)
  })
  expect(json).toBe(
    `${'0123456789'.repeat(100)}${long}${'é'.repeat(5000)}"${'A'.repeat(40_000)}""${'\\u0001'.repeat(50_000)}"`,
  )
})

test('is used again and again', () => {
  const output = new JsonOutput()
  for (const text of ['one', 'x'.repeat(1_000_000), 'three']) {
    output.begin(text.length)
    output.ascii(text)
    expect(output.take().toString()).toBe(text)
  }
})

test('is bounded by what it is made with, twice the size of the value, and 256 MiB', () => {
  const limit = (most: number, size: number): number => {
    const output = new JsonOutput(most)
    output.begin(size)
    const words = thrownBy(() => output.reserve(2 ** 40))
    expect(words).toMatch(/^makes more than \d+ bytes of JSON \(beyond max_request_bytes\)$/)
    return Number(/\d+/.exec(words)![0])
  }
  expect(limit(4 * 2 ** 20, 0)).toBe(4 * 2 ** 20)
  expect(limit(4 * 2 ** 20, -7)).toBe(4 * 2 ** 20)
  expect(limit(4 * 2 ** 20, 2 ** 21)).toBe(4 * 2 ** 20)
  expect(limit(4 * 2 ** 20, 3 * 2 ** 20)).toBe(6 * 2 ** 20)
  expect(limit(1024, 5000)).toBe(10_000)
  expect(limit(1024, 2 ** 30)).toBe(256 * 2 ** 20)
  const output = new JsonOutput(5000)
  output.begin(0)
  output.reserve(5000)
  expect(() => output.reserve(5001)).toThrow('bytes of JSON')
})

function thrownBy(act: () => void): string {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.each([
  [[0], '{b:2}', [1]],
  [[1], '{a:1,c:33}', [0, 2]],
  [[2], '{a:1,b:2}', [0, 1]],
  [[0, 1], '{c:33}', [2]],
  [[], '{a:1,b:2,c:33}', [0, 1, 2]],
])('without the entries %j: %s', (dropped, json, kept) => {
  const entries = dropped.length === 1 && dropped[0] === 0 ? ['a:1', 'b:2'] : ['a:1', 'b:2', 'c:33']
  expect(
    written((output) => {
      const starts: number[] = []
      output.ascii('{')
      for (const [index, entry] of entries.entries()) {
        if (index > 0) output.ascii(',')
        starts.push(output.at)
        output.ascii(entry)
      }
      output.keepEntries(starts, kept)
      output.ascii('}')
    }),
  ).toBe(json)
})
