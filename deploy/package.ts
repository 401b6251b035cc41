// What `npm pack` of the checkout leaves: the package as it is published, NAME-VERSION.tgz. It is put together in a temporary folder
// with a manifest of its own, without dependencies: the bundle holds them. npm runs this last (postpack), and so nothing of the
// checkout changes, however it ends.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, type BuildOptions, type OutputOptions } from 'rolldown'
import config from '../rolldown.config.ts'
import { addressesOf } from '../spec/published.ts'

const HERE = join(import.meta.dirname, '..')
/** Of the checkout's manifest. */
const KEPT = ['name', 'version', 'description', 'keywords', 'license', 'homepage', 'type', 'engines']
/** As they lie in the checkout. */
const FILES = [
  'LICENSE',
  'CHANGELOG.md',
  'HISTORY.md',
  'SECURITY.md',
  '.github/CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'deploy',
  'docs',
  'spec/sample',
  'spec/captures/faker',
  'spec/connector-specification.json',
  'spec/write-config.schema.json',
  'spec/stream-config.schema.json',
  'spec/onboard-config.schema.json',
  'spec/run-summary.schema.json',
  'spec/dry-run.schema.json',
  'spec/codes.json',
  'spec/stream-config.example.yaml',
  'spec/onboard-config.example.yaml',
]
/** The page that is the package's README. */
const README = 'deploy/npm.md'

using folder = mkdtempDisposableSync(join(tmpdir(), 'pack-'))
const stage = (path: string): string => join(folder.path, path)

const isPublished = (path: string): boolean => !path.endsWith('.ts')
for (const file of FILES) cpSync(join(HERE, file), stage(file), { recursive: true, filter: isPublished })
await build({ ...config, output: { ...(config.output as OutputOptions), dir: stage('dist') } } as BuildOptions)
const manifest = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as Record<string, unknown>
const bin = { [String(manifest['name'])]: 'dist/main.js' }
const kept = Object.fromEntries(KEPT.filter((key) => key in manifest).map((key) => [key, manifest[key]]))
const { homepage } = manifest
const gitHead = headOf(HERE)
const addresses = typeof homepage === 'string' ? addressesOf(homepage) : {}
writeFileSync(
  stage('package.json'),
  `${JSON.stringify({ ...kept, ...addresses, ...(gitHead && { gitHead }), bin }, null, 2)}\n`,
)

// commands of docs are those of a folder where the package is installed
const npx = `npx ${String(manifest['name'])}`
const samples = `node_modules/${String(manifest['name'])}/spec/sample/`
for (const name of readdirSync(stage('docs')).filter((it) => it.endsWith('.md'))) {
  const text = readFileSync(stage(`docs/${name}`), 'utf8')
  const installed = text
    .replaceAll('node src/start.js', npx)
    .replaceAll(/(?<= )spec\/sample\//g, samples)
    // the checkout's tests are not there: their links become the words
    .replaceAll(/\[([^\]]+)\]\(\.\.\/(?:integration_tests|src)\/[^)]*\)/g, '$1')
  writeFileSync(stage(`docs/${name}`), installed)
}
for (const name of ['README.md', 'repair.sh', 'cron.sh']) {
  const text = readFileSync(stage(`spec/sample/${name}`), 'utf8')
  writeFileSync(stage(`spec/sample/${name}`), text.replaceAll('node src/start.js', npx))
}
// the table of deploy/ names this file too, which no package holds
const deploy = readFileSync(stage('deploy/README.md'), 'utf8')
writeFileSync(stage('deploy/README.md'), deploy.replace(/^\| `package\.ts`.*\n/m, ''))
const readme = readFileSync(stage(README), 'utf8')
writeFileSync(stage('README.md'), readme.replaceAll('](../', ']('))

// npm has written its own archive by now, of the checkout; this one takes its place
const { npm_config_pack_destination: destination = '.', INIT_CWD: startedIn = '.' } = process.env
execFileSync('npm', ['pack', '--pack-destination', resolve(startedIn, destination), folder.path], {
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: process.platform === 'win32',
})

/** The commit of a checkout, as npm's own member of a manifest; with `-dirty` where files are not those of it. undefined: it is none,
 *  or there is no git. */
function headOf(folder: string): string | undefined {
  const told = ['--git-dir=.git', 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  try {
    return execFileSync('git', told, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
