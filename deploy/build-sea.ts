// `npm run build:sea [-- FOLDER]`: the program as one executable file, which needs no Node on its machine, and the licences of what
// is in it, in dist/linux-x64 or another folder. The file is Node 26 with the bundle and the files that commands read inside.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { build, type BuildOptions, type Plugin } from 'rolldown'
import config from '../rolldown.config.ts'

const ROOT = join(import.meta.dirname, '..')
const NODE = join(ROOT, 'node_modules/node26')
const { 2: FOLDER = join(ROOT, 'dist/linux-x64') } = process.argv
const EXECUTABLE = join(FOLDER, 'destination-analytics-service')
const LICENSES = 'THIRD-PARTY-LICENSES'
/** Inside the executable by these names, as src/files/package-file.ts asks for them; the page's are `page/NAME`. */
const FILES = [
  'package.json',
  'spec/connector-specification.json',
  'spec/write-config.schema.json',
  'spec/stream-config.schema.json',
  'spec/onboard-config.schema.json',
  'spec/stream-config.example.yaml',
  'spec/onboard-config.example.yaml',
  'spec/codes.json',
  'spec/sample/onboard.yaml',
  'spec/captures/faker/catalog.json',
  'spec/captures/faker/messages.jsonl',
]

const missing = whatIsMissing()
if (missing === undefined) await make()
else {
  console.error(missing)
  process.exitCode = 1
}

function whatIsMissing(): string | undefined {
  const platform = `${process.platform} ${process.arch}`
  if (platform !== 'linux x64')
    return `The single executable is for linux x64, and can be built there alone; this is ${platform}.`
  return existsSync(NODE) ? undefined : 'The single executable is made of Node 26: npm run fetch:test-parts -- node26'
}

async function make(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'build-sea-'))
  const bundle = (name: string): string => join(folder.path, name)
  await build({
    ...config,
    input: join(ROOT, 'src/start.js'),
    external: ['node:module'],
    plugins: [lazyBuiltins(), config.plugins],
    output: { dir: folder.path, format: 'esm', entryFileNames: 'main.js', codeSplitting: false, minify: true },
  } as BuildOptions)
  const files = FILES.map((name) => [name, join(ROOT, name)])
  const page = readdirSync(bundle('page')).map((name) => [`page/${name}`, bundle(`page/${name}`)])
  const settings = {
    main: bundle('main.js'),
    mainFormat: 'module',
    output: EXECUTABLE,
    disableExperimentalSEAWarning: true,
    // without it every start compiles all commands
    useCodeCache: true,
    assets: Object.fromEntries([...files, ...page]) as Record<string, string>,
  }
  writeFileSync(bundle('settings.json'), JSON.stringify(settings))
  mkdirSync(FOLDER, { recursive: true })
  const [node, license] = [join(NODE, 'bin/node'), readFileSync(join(NODE, 'LICENSE'), 'utf8')]
  execFileSync(node, ['--build-sea', bundle('settings.json')], { stdio: ['ignore', 'ignore', 'inherit'] })
  cpSync(join(ROOT, 'LICENSE'), join(FOLDER, 'LICENSE'))
  const others = readFileSync(bundle(LICENSES), 'utf8')
  writeFileSync(join(FOLDER, LICENSES), `${others}\n${'='.repeat(80)}\nNode.js, and what is in it\n\n${license}`)
  const made = readFileSync(EXECUTABLE)
  const sizes = `${megabytes(made.length)}, of which Node itself is ${megabytes(statSync(node).size)}`
  console.log(`${relative('.', EXECUTABLE)}: ${sizes}; ${megabytes(zstdCompressSync(made).length)} with zstd`)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Built-in modules are loaded when a command needs them, not at the start: rolldown puts imports of what it leaves outside in
 *  front of the one file. Its own first lines import node:module. */
function lazyBuiltins(): Plugin {
  const prefix = '\0built-in:'
  return {
    name: 'lazy built-in modules',
    resolveId: { filter: { id: /^node:(?!module$)/ }, handler: (id) => prefix + id },
    load: {
      filter: { id: /^\0built-in:/ },
      handler: (id) => `module.exports = process.getBuiltinModule('${id.slice(prefix.length)}')`,
    },
  }
}
