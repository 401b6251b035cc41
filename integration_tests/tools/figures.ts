// `npm run figures`: how large the house is. Production is src without tests, the helpers of tests and the page of the local service.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

// that rule alone, as .oxlintrc.json has it
const [rule] = /"import\/no-cycle": .*\]/.exec(readFileSync(`${ROOT}.oxlintrc.json`, 'utf8')) ?? []
using config = mkdtempDisposableSync(join(tmpdir(), 'figures-'))
writeFileSync(
  join(config.path, 'lint.json'),
  `{"plugins":["import"],"categories":{"correctness":"off"},"rules":{${rule}}}`,
)
const lint = spawnSync('node_modules/.bin/oxlint', ['--config', join(config.path, 'lint.json'), 'src'], { cwd: ROOT })
const circles = [...lint.stdout.toString().matchAll(/import\(no-cycle\)/g)].length

const rows: [string, number | string][] = [
  ['production lines', linesOf(production)],
  ['files', production.length],
  ['lines of a file, median', lengths[Math.floor(lengths.length / 2)] ?? 0],
  ['lines of the longest file', lengths.at(-1) ?? 0],
  ['lines of the page', linesOf(page)],
  ['circles of imports, types included', circles],
  ['names exported by two files', twice.length === 0 ? 0 : `${twice.length} (${twice.join(', ')})`],
  ['lines of tests', linesOf(tests)],
]
for (const [what, figure] of rows) console.log(`${what.padEnd(36)}${String(figure).padStart(8)}`)
