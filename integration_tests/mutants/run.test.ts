import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { allFiles } from './changed-files.ts'
import { PlantedTree } from './planted-tree.ts'
import { ownFolder } from '../../src/process/testing/own-folder.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))

const SMALL = 'export const isSmall = (n: number): boolean => n < 10\n'
/** Ends never once it is wrong, and says so by a file. */
const ENDLESS = `import { writeFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { expect, it } from 'vitest'
  import { isDone } from './endless.ts'
  it('ends', () => {
    if (!isDone() && process.env['MARK']) writeFileSync(process.env['MARK'], String(process.pid))
    while (!isDone()) expect(isDone()).toBe(isDone())
  })`

const ENDS = 'export const isDone = (): boolean => true\n'

const testOf = (file: string, claim: string): string =>
  `import { expect, it } from 'vitest'\nimport * as all from './${file}'\nit('holds', () => expect(${claim}).toBe(true))\n`

const folder = ownFolder('test')
const root = join(folder, 'checkout')
beforeEach(async () => {
  await mkdir(join(folder, 'tmp'))
  const project = (name: string): string => `{ test: { name: '${name}', include: ['src/**/*.${name}.ts'] } }`
  await write({
    'package.json': '{"type":"module"}',
    '.gitignore': 'node_modules',
    'vitest.config.ts': `export default { test: { projects: [${project('unit').replace('*.unit', '*.test')}, ${project('spec')}] } }`,
    'src/old.ts': 'export const old = true\n',
  })
  await symlink(PACKAGES, join(root, 'node_modules'))
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '--message=first')
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
}

function git(...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  const { stdout, stderr, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8', env })
  expect(status, stderr).toBe(0)
  return stdout
}

/** Of a process that is no test's. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'NODE_ENV')
  return { ...Object.fromEntries(own), TMPDIR: join(folder, 'tmp'), MARK: join(folder, 'mark') }
}

const run = (...args: string[]) =>
  spawnSync(process.execPath, [RUN, ...args], { cwd: root, encoding: 'utf8', env: environment() })

it('tells of each fault whether a test finds it, and leaves no trace', async () => {
  await write({
    'src/small.ts': SMALL,
    'src/small.test.ts': testOf('small.ts', 'all.isSmall(9) && !all.isSmall(10)'),
    'src/loose.ts': SMALL,
    'src/through.ts': "export { isSmall } from './loose.ts'\n",
    'src/through.spec.ts': testOf('through.ts', 'all.isSmall(1)'),
    'src/alone.ts': 'export const alone = true\n',
    'src/broken.test.ts': testOf('small.ts', 'all.isSmall(99)'),
    'src/testing/helper.ts': 'export const helper = true\n',
  })
  git('add', 'src/small.ts')
  const before = git('status', '--porcelain')
  const { status, stdout, stderr } = run('--changed', '99', '--seed', '3')
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^7 faults in the 4 files of src that differ from \w{40}\nTo repeat it: .* --seed 3\n/)
  expect(stdout).toContain('Left out, for it fails without any fault: src/broken.test.ts\n')
  const [caught, loose] = ['caught by src/small.test.ts: holds', 'NOT CAUGHT']
  for (const [file, end] of [
    ['small', caught],
    ['loose', loose],
  ]) {
    for (const to of ['n <= 10', 'n < (10 + 1)', 'n < (10 - 1)'])
      expect(stdout).toContain(`\nsrc/${file}.ts:1\n- ${SMALL}+ ${SMALL.replace('n < 10', to)}${end}\n`)
  }
  expect(stdout).toContain('+ export const alone = false\nNOT CAUGHT: no unit or spec test imports this file\n')
  expect(stdout).toMatch(/\n3 of 7 faults caught \(seed 3\)\n$/)
  expect(git('status', '--porcelain')).toBe(before)
  expect(readFileSync(join(root, 'src/small.ts'), 'utf8')).toBe(SMALL)
  expect(await readdir(join(folder, 'tmp'))).toEqual([])
})

it('says what is wrong with its arguments, or that nothing changed', () => {
  for (const [args, words] of [
    [['--changed', '0'], '--changed must be a whole number from 1 to 4294967295, not "0".'],
    [['--seed', '1'], '--changed N is missing.'],
    [['--changed', '1', '--seed', '-1'], 'ambiguous'],
    [['--changed', '1', '--speed', '1'], '--speed'],
    [['--changed', '1', '--since', 'nowhere'], 'There is no commit nowhere: name one with --since.'],
  ] as const) {
    const { status, stderr, stdout } = run(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
    expect(stderr).toContain('npm run mutants -- --changed N')
  }
  expect(run('--changed', '1')).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to plant') })
})

it('a fault that lets a test run on and on counts as caught', async () => {
  await write({ 'src/endless.ts': ENDS, 'src/endless.test.ts': ENDLESS })
  const files = await allFiles(root)
  const tree = await PlantedTree.grow(root, join(folder, 'tmp'), files, new AbortController().signal)
  const fault = 'export const isDone = (): boolean => false\n'
  expect(await tree.judge('src/endless.ts', fault, 4000)).toEqual({ how: 'timed out' })
})

it('stopped in the middle, it ends what it started and removes its copy', async () => {
  await write({ 'src/endless.ts': ENDS, 'src/endless.test.ts': ENDLESS })
  const child = spawn(process.execPath, [RUN, '--changed', '1'], { cwd: root, env: environment(), stdio: 'ignore' })
  const closed = once(child, 'close')
  const mark = join(folder, 'mark')
  while (!existsSync(mark) || readFileSync(mark, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 50))
  const pid = readFileSync(mark, 'utf8')
  child.kill('SIGTERM')
  expect(await closed).toEqual([130, null])
  expect(await readdir(join(folder, 'tmp'))).toEqual([])
  // one that nobody has asked for its end counts as gone
  expect(spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim()).toMatch(/^(Z.*)?$/)
})
