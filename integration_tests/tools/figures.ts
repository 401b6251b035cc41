// `npm run figures`: how large the house is. Production is src without tests, the helpers of tests and the page of the local service.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findCircles, readImports } from '../../spec/import-graph.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = 'src/local-service/page/'
const isTest = (file: string): boolean => /\.(test|spec)\.ts$|\/testing\//.test(file) || !file.startsWith('src/')

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((file) => /^(src|spec|integration_tests|bench)\/.*\.(ts|js|css|html)$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${ROOT}${file}`, 'utf8') }))
const linesOf = (some: typeof files): number => some.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)

const page = files.filter(({ file }) => file.startsWith(PAGE) && !isTest(file))
const production = files.filter(({ file }) => /\.(ts|js)$/.test(file) && !file.startsWith(PAGE) && !isTest(file))
const tests = files.filter(({ file }) => file.endsWith('.ts') && isTest(file))
const lengths = production.map((one) => linesOf([one])).toSorted((a, b) => a - b)

const EXPORTED = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm
const homes = Map.groupBy(
  production.flatMap(({ file, text }) => [...text.matchAll(EXPORTED)].map(([, name]) => ({ name: name!, file }))),
  ({ name }) => name,
)
const twice = [...homes].filter(([, of]) => new Set(of.map(({ file }) => file)).size > 1).map(([name]) => name)

const circles = findCircles(readImports()).length

const rows: [string, number | string][] = [
  ['production lines', linesOf(production)],
  ['files', production.length],
  ['lines of a file, median', lengths[Math.floor(lengths.length / 2)] ?? 0],
  ['lines of the longest file', lengths.at(-1) ?? 0],
  ['lines of the page', linesOf(page)],
  ['circles of imports, types and lazy ones', circles],
  ['names exported by two files', twice.length === 0 ? 0 : `${twice.length} (${twice.join(', ')})`],
  ['lines of tests', linesOf(tests)],
]
for (const [what, figure] of rows) console.log(`${what.padEnd(36)}${String(figure).padStart(8)}`)
