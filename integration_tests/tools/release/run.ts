// `npm run release:check [-- FOLDER]`: all files of a release in dist/release or another folder: the npm package and its list of
// contents, each made twice and compared; the single executable; the image; and SHA256SUMS of them. It publishes nothing.
// It fails where one of them cannot be made or package.json names no homepage, and says what is missing.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, mkdtempDisposableSync, readdirSync, rmSync } from 'node:fs'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { buildFolder } from '../image/build-image.ts'
import { findEngine } from '../image/find-engine.ts'
import { commitOf, missingIn, npmSbom, sameSbom } from './sbom.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const FOLDER = resolve(process.argv[2] ?? join(ROOT, 'dist/release'))
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<'name' | 'version', string> & {
  homepage?: string
}
const { name, version, homepage = '' } = manifest
const commit = commitOf(ROOT)
const called = `${name}-${version}`
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort())

const changed = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
if (changed !== '') console.log(`not ok  the checkout has changes that commit ${commit.id.slice(0, 12)} does not have`)
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })

if (homepage === '')
  console.log('not ok  homepage: package.json names none, so neither README nor metadata link to where it is')

let failed = (changed === '' ? 0 : 1) + (homepage === '' ? 1 : 0)
for (const [title, make] of [
  ['package', makePackage],
  ['list of contents', makeSbom],
  ['executable', makeExecutable],
  ['image', makeImage],
] as const) {
  try {
    console.log(`ok      ${title}: ${await make()}`)
  } catch (error) {
    failed++
    console.log(`not ok  ${title}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
const sums = await Promise.all(
  readdirSync(FOLDER)
    .toSorted()
    .map(async (file) => `${await sumOf(file)}  ${file}\n`),
)
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''))
console.log(`\n${sums.join('')}\nin ${FOLDER}`)
if (failed > 0) process.exitCode = 1

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function makePackage(): string {
  const file = `${called}.tgz`
  const [first, second] = [0, 1].map(() => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'release-'))
    run('npm', ['pack', '--silent', '--pack-destination', folder.path])
    copyFileSync(join(folder.path, file), join(FOLDER, file))
    return readFileSync(join(folder.path, file))
  })
  if (!first!.equals(second!)) throw new Error('made twice, it has other bytes')
  return `${file}, the same bytes twice`
}

function makeSbom(): string {
  const [first, second] = [0, 1].map(() => sameSbom(npmSbom(ROOT), name, commit))
  if (first !== second) throw new Error('made twice, it has other bytes')
  const licenses = run('tar', ['-xzOf', join(FOLDER, `${called}.tgz`), 'package/dist/THIRD-PARTY-LICENSES'])
  const missing = missingIn(first!, licenses)
  if (missing.length > 0) throw new Error(`it leaves out what is in the bundle: ${missing.join(', ')}`)
  writeFileSync(join(FOLDER, `${called}.cdx.json`), first!)
  return `${called}.cdx.json, the same bytes twice, with every package of the bundle`
}

/** The file and the licences of what is in it, in one archive. */
function makeExecutable(): string {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'release-'))
  const file = `${called}-linux-x64.tar.gz`
  run(process.execPath, ['deploy/build-sea.ts', join(folder.path, called)])
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${commit.time}`]
  run('tar', ['-czf', join(FOLDER, file), ...same, '-C', folder.path, called])
  return file
}

async function makeImage(): Promise<string> {
  const found = await findEngine(process.env, stopped.signal)
  if (typeof found === 'string') throw new Error(found)
  await using engine = found
  const tag = `${name}:${version}`
  const labels = { REVISION: commit.id, CREATED: commit.time, URL: homepage }
  await buildFolder(engine.docker, tag, ROOT, engine.base, labels)
  const saving = engine.docker.start(['save', tag], { limitSeconds: 600 })
  const file = `${called}-image.tar.gz`
  const whole = pipeline(saving.stdout!, createGzip({ level: 1 }), createWriteStream(join(FOLDER, file)))
  const [[code], said] = await Promise.all([once(saving, 'close'), text(saving.stderr!), whole])
  if (code !== 0) throw new Error(`docker save failed (${String(code)}): ${said.trim()}`)
  return `${file} (docker load), ${tag}`
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(FOLDER, file)), hash)
  return hash.digest('hex')
}
