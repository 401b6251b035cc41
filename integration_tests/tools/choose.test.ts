import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHOICES } from './choose.ts'
import { AS_USER, ROOT } from '../cli/readme-commands.ts'

const choose = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['integration_tests/tools/choose.ts', ...args], { ...AS_USER, encoding: 'utf8' })
const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { scripts: Record<string, string> }

it('offers programs that are there, by scripts that are there', () => {
  for (const [script, choices] of Object.entries(CHOICES)) {
    expect(manifest.scripts[script]).toContain(`node integration_tests/tools/choose.ts ${script}`)
    for (const { file } of Object.values(choices)) expect(existsSync(new URL(file, ROOT)), file).toBe(true)
  }
})

it('starts what is named, with what follows it', () => {
  const { status, stderr } = choose('soak', 'kafka', '--messages', 'many')
  expect(stderr).toContain('--messages must be a number, not "many".')
  expect(stderr).toContain('Usage: npm run soak -- kafka ')
  expect(status).toBe(2)
})

it('starts the one without a name where options come first', () => {
  const { status, stderr } = choose('soak', '--messages', '1')
  expect([status, stderr.includes('Usage: npm run soak -- [--minutes')]).toEqual([2, true])
})

it.each([
  [
    ['bench', 'no-such'],
    'Usage: npm run bench -- [NAME] [options]\n\nNAME: adaptive, kafka, peers, decode, scan, service\n',
  ],
  [['bench', 'constructor'], 'Usage: npm run bench -- [NAME]'],
  [['pin'], 'Usage: npm run pin -- NAME [options]\n\nNAME: test-parts, images, platformatic\n'],
])('says what there is for %j', (args, usage) => {
  const { status, stderr } = choose(...args)
  expect([status, stderr]).toEqual([2, expect.stringContaining(usage)])
})

it('is not one script too many', () => {
  expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(36)
})
