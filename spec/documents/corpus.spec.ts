// The corpus of hostile documents is what it says of itself. The connector's part in it: integration_tests/documents/documents.test.ts.

import { isUtf8 } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { readCorpus, type DocumentCase } from './read-corpus.ts'

const corpus = readCorpus()
const kinds = (one: DocumentCase): string[] => [...one.expected.values()].map(({ kind }) => kind)
const isFault = (one: DocumentCase): boolean => kinds(one).includes('fault')

/** Judged by nothing of ours: one line, and JSON.parse takes it, with U+FFFD for bytes that are no UTF-8. */
function isMessageText(line: Buffer): boolean {
  if (line.includes(0x0a)) return false
  try {
    JSON.parse(line.toString())
    return true
  } catch {
    return false
  }
}

/** Levels of a parsed value, itself being the first; level by level, for recursion would end before 200,000. */
function levels(value: unknown): number {
  let depth = 0
  for (let level = [value].filter(isContainer); level.length > 0; depth++)
    level = level.flatMap((one) => Object.values(one)).filter(isContainer)
  return depth
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

describe('the corpus of hostile documents', () => {
  it('has hundreds of cases, each with a name of its own', () => {
    const names = corpus.map(({ group, name }) => `${group}: ${name}`)
    expect(names.length).toBeGreaterThan(400)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('calls a fault what is not JSON, and nothing else', () => {
    const asked = corpus.filter(({ data }) => data !== undefined)
    const wrong = asked.filter((one) => isMessageText(one.line('s')) === isFault(one))
    expect(wrong.map(({ group, name }) => `${group}: ${name}`)).toEqual([])
  })

  it('rejects what is JSON but for bytes that are no UTF-8, and nothing else for that', () => {
    for (const one of corpus) {
      if (one.data === undefined || isFault(one)) continue
      const isRejected = [...one.expected.values()].map((it) => it.kind === 'rejected' && /valid UTF-8/.test(it.words))
      expect(new Set(isRejected), one.name).toEqual(new Set([!isUtf8(one.data)]))
    }
  })

  it('calls too deep what has more than 1,024 levels, and nothing else', () => {
    for (const one of corpus) {
      if (one.data === undefined || isFault(one)) continue
      const tooDeep = [...one.expected.values()].map((it) => it.kind === 'rejected' && /nested deeper/.test(it.words))
      expect(new Set(tooDeep), one.name).toEqual(new Set([levels(JSON.parse(one.data.toString())) > 1024]))
    }
  })

  it('says of a document that is a fault nothing else in any mode', () => {
    expect(corpus.filter((one) => isFault(one) && new Set(kinds(one)).size > 1)).toEqual([])
  })

  it('says of renamed documents that they stay JSON and keep their values', () => {
    for (const { name, data, expected } of corpus) {
      for (const expectation of expected.values()) {
        if (expectation.kind !== 'becomes' || data === undefined) continue
        const values = [data, expectation.bytes].map((bytes) => Object.values(JSON.parse(bytes.toString()) as object))
        expect(JSON.stringify(values[1]), name).toBe(JSON.stringify(values[0]))
      }
    }
  })

  it('lets no error quote a line unseen', () => {
    for (const one of corpus) {
      const stops = kinds(one).some((kind) => kind === 'rejected' || kind === 'fault')
      if (stops) expect(one.line('s').includes('canary'), one.name).toBe(true)
    }
  })
})
