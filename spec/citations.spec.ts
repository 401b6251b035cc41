// What comments cite is in the repository: each heading of docs/ is there, each file, each ruling has a test, and nothing points to
// a text that only some people have.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anchorOf, anchors } from './anchors.ts'

const ROOT = new URL('../', import.meta.url)
const NOT_OURS: ReadonlySet<string> = new Set(['.git', 'coverage', 'dist', 'node_modules', 'package-lock.json'])
const TEXT = /\.(?:css|html|java|js|json|md|mjs|py|sh|ts|ya?ml)$|^Dockerfile$/
/** A larger one is data. */
const LARGEST = 512 * 1024

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

function filesIn(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name
    if (NOT_OURS.has(entry.name)) return []
    if (entry.isDirectory()) return filesIn(`${path}/`)
    return entry.isFile() && TEXT.test(entry.name) && statSync(new URL(path, ROOT)).size <= LARGEST ? [path] : []
  })
}

/** A comment's sentence may go on in its next line. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*|#)?\s*/g, ' ')
const FILES = filesIn('').map((path) => ({ path, text: read(path) }))

test('every heading that is cited is there', () => {
  const known = new Map(
    readdirSync(new URL('docs/', ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name.slice(0, -3), anchors(read(`docs/${name}`))]),
  )
  const broken = FILES.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/-]|\.\.)(?:docs\/)?([\w-]+)\.md#([\w.-]*[\w-])/g)]
      .filter(([, page, anchor]) => known.has(page!) && !known.get(page!)!.has(anchor!))
      .map(([citation]) => `${path}: ${citation}`),
  )
  expect(broken).toEqual([])
})

test('every ruling has a test', () => {
  const tests = FILES.filter(({ path }) => /\.(?:test|spec)\.ts$/.test(path))
  const rulings = read('docs/decisions.md').split(/^### /m).slice(1)
  expect(rulings.length).toBeGreaterThan(50)
  const untested = rulings.filter((ruling) => {
    const anchor = anchorOf(ruling.slice(0, ruling.indexOf('\n')))
    const heldBy = /^Held by: .*$/ms.exec(ruling)?.[0] ?? ''
    const named = [...heldBy.matchAll(/`([\w./-]+\.(?:test|spec)\.ts)`/g)].map(([, path]) => path!)
    const citation = new RegExp(`decisions\\.md#${anchor}(?![\\w-])`)
    return named.length === 0 && !tests.some(({ text }) => citation.test(text))
  })
  expect(untested).toEqual([])
})

test('every file that a ruling names is there', () => {
  const named = [...read('docs/decisions.md').matchAll(/`((?:src|spec|integration_tests|bench)\/[\w./-]+)`/g)]
  expect(named.length).toBeGreaterThan(100)
  expect(named.map(([, path]) => path!).filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([])
})

test('every fault that docs/guarantees.md tells of names a test that is there', () => {
  const rows = read('docs/guarantees.md')
    .split('\n## Faults this project had\n')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => /^\| (?!what was wrong|---)/.test(line))
  expect(rows.length).toBeGreaterThan(25)
  for (const row of rows) {
    const tests = Array.from(
      row
        .split(' | ')
        .at(-1)!
        .matchAll(/`([\w./-]+\.(?:test|spec)\.ts)`/g),
      ([, path]) => path!,
    )
    expect(tests.length, row).toBeGreaterThan(0)
    for (const path of tests) expect(existsSync(new URL(path, ROOT)), path).toBe(true)
  }
})

test('nothing cites a text that is not in the repository', () => {
  const absent = [
    /\b(?:assumptions?|rulings?|architecture rules?|service document|interface document),? (?:\d|")/i,
    /\bsections? \d[\w.]* of the (?:service )?document/i,
    /\bdocument's sections? \d/i,
    /\b\d\.[AB]\d/,
  ]
  const found = FILES.flatMap(({ path, text }) => {
    const whole = joined(text)
    return absent.flatMap((pattern) => pattern.exec(whole)?.[0] ?? []).map((citation) => `${path}: ${citation}`)
  })
  expect(found).toEqual([])
})

test('every page and source file that a comment names is there', () => {
  const ends = new Set(FILES.flatMap(({ path }) => endsOf(path)))
  // not those of the root, which speak of what is built
  const sources = FILES.filter(({ path }) => /\/.*\.ts$/.test(path))
  const named = sources.flatMap(({ path, text }) => namesIn(text).map((name) => ({ path, name })))
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !ends.has(name)).map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

/** What a comment may name it by: its path, from any folder on. */
function endsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, at) => parts.slice(at).join('/'))
}

function namesIn(source: string): string[] {
  const comments = [...source.matchAll(/(?:^\s*(?:\/\/|\/?\*)|\s\/\/ )(.*)$/gm)]
  const name = /(?<![\w./@*-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:md|ts|js|mjs)\b(?!\.?\w)/g
  return comments.flatMap(([, comment]) => comment!.match(name) ?? [])
}
