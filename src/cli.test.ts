import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runCommand } from './cli.ts'
import { HELP } from './commands/help/help-texts.ts'
import type { Ended, Io } from './process/io.ts'
import { PROGRAM } from './process/start-command.ts'
import { ioOf, NO_INPUT, Said } from './process/testing/said.ts'

interface Ran {
  readonly code: Ended
  readonly out: string
  readonly err: string
}

/** @param more columns of a terminal, variables, an output that is broken */
async function said(
  argv: readonly string[],
  more: { columns?: number; errorColumns?: number; env?: Io['env']; isDumb?: boolean; broken?: string } = {},
): Promise<Ran> {
  const broken = more.broken === undefined ? undefined : Object.assign(new Error('broken'), { code: more.broken })
  const [stdout, stderr] = [new Said(broken), new Said()]
  const io = ioOf(NO_INPUT, stdout, stderr, {
    argv,
    env: more.env ?? {},
    isTty: more.columns !== undefined,
    columns: more.columns,
    errorSize: () => (more.errorColumns === undefined ? undefined : { columns: more.errorColumns, rows: 24 }),
    isDumb: more.isDumb === true,
  })
  const code = await runCommand(io)
  return { code, out: await stdout.text(), err: await stderr.text() }
}

const FAILED = /^\{"type":"CONNECTION_STATUS","connectionStatus":\{"status":"FAILED",[^\n]*\n$/
const PLAIN = /^FAIL {2}[^]*\n\n1 problem to fix before write can start\.\n$/
// oxlint-disable-next-line no-control-regex
const RED = /^\u001B\[31mFAIL\u001B\[39m {2}[^]*\n\n1 problem to fix before write can start\.\n$/

describe('--fail-on-change', () => {
  it.each([
    ['write', '--config', 'none.json', '--catalog', 'none.json', '--summary', 's.json', '--compare', 'old.json'],
    ['write', '--catalog', 'none.json', '--dry-run'],
    ['stream', '--config', 'none.yaml'],
    ['stream', '--config', 'none.yaml', '--check', '--compare', 'old.json'],
  ])('is refused where nothing is compared before it is sent: %s', async (...args) => {
    const { code, err } = await said([...args, '--fail-on-change'])
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/goes with --dry-run --compare OLD[^]*nothing can be\s+taken back/),
    ])
  })
})

describe('check', () => {
  const args = ['check', '--config', 'no-such.json']

  it.each([
    ['in a pipe', {}, FAILED, /^$/],
    ['where standard error is a terminal', { errorColumns: 80 }, FAILED, RED],
    ['at a terminal', { columns: 80, errorColumns: 80 }, RED, /^$/],
    ['where only standard output is a terminal', { columns: 80 }, RED, /^$/],
    ['at a terminal without colours', { columns: 80, isDumb: true }, PLAIN, /^$/],
    ['where nobody wants colours', { errorColumns: 80, env: { NO_COLOR: '1' } }, FAILED, PLAIN],
  ] as const)('prints one message, and text where a person looks: %s', async (_where, more, out, err) => {
    const found = await said(args, more)
    expect(found).toEqual({
      code: 0,
      out: expect.stringMatching(out) as string,
      err: expect.stringMatching(err) as string,
    })
  })

  it('tells scripts by its exit code', async () => {
    expect((await said([...args, '--exit-code'])).code).toBe(1)
    expect((await said([...args, '--exit-code'], { columns: 80 })).code).toBe(1)
  })
})

it('says in red at a terminal what is wrong with a command line', async () => {
  expect((await said(['check'], { errorColumns: 80 })).err).toBe(
    `check: \u001B[31mIt needs --config FILE. ${HELP.check.options['config']!.says}\u001B[39m See check --help.\n`,
  )
})

const widest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length))

describe('help', () => {
  it.each(Object.keys(HELP))('of %s, in every way of asking, and whatever else is wrong', async (name) => {
    const asked = await said([name, '--help'])
    expect(asked).toMatchObject({ code: 0, err: '' })
    expect(asked.out).toMatch(new RegExp(`^Usage: ${PROGRAM} ${name}\\b`))
    for (const args of [
      [name, '--bogus', '-h'],
      ['help', name],
      ['--help', name],
      ['help', '--help', name],
    ])
      expect(await said(args)).toEqual(asked)
  })

  it('of all is one page, as wide as the terminal, or COLUMNS', async () => {
    const page = await said(['--help'])
    expect(page).toMatchObject({ code: 0, err: '' })
    for (const args of [['help'], ['-h'], ['help', 'help'], ['--help', '-h']]) expect(await said(args)).toEqual(page)
    expect(await said([])).toEqual({ code: 2, out: '', err: page.out })
    expect(widest(page.out)).toBeLessThanOrEqual(80)
    for (const [more, width] of [
      [{ columns: 200 }, 120],
      [{ columns: 50, env: { COLUMNS: '100' } }, 50],
      [{ env: { COLUMNS: '300' } }, 120],
      [{ env: { COLUMNS: '45' } }, 45],
      [{ env: { COLUMNS: 'wide' } }, 80],
      [{ env: { COLUMNS: '0' } }, PROGRAM.length + 14],
    ] as const)
      expect(widest((await said(['--help'], more)).out)).toBeLessThanOrEqual(width)
  })

  it('is no help once options are over, and no value', async () => {
    expect((await said(['spec', '--', '--help'])).code).toBe(2)
    expect((await said(['plan', '--catalog=--help', '--json=1'])).code).toBe(2)
  })
})

it('tells its version', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  for (const word of ['--version', '-V', 'version'])
    expect(await said([word])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

it('prints the schemas of its configs, whatever else is missing', async () => {
  for (const name of ['write', 'onboard', 'stream']) {
    const schema = await readFile(new URL(`../spec/${name}-config.schema.json`, import.meta.url), 'utf8')
    expect(await said([name, '--schema'])).toEqual({ code: 0, out: schema, err: '' })
  }
})

it.each([
  [
    ['report'],
    'report: It needs the summary of a run, for example: report summary.json > report.html. See report --help.',
  ],
  [
    ['explain'],
    'explain: It needs the code in brackets behind an error, for example: explain service.key-refused. See explain --help.',
  ],
  [['report', 's.json', 'more'], 'report: There is an argument without an option: more. See report --help.'],
  [['wrte'], 'Unknown command "wrte"; did you mean "write"? See --help.'],
  [['help', 'strem'], 'Unknown command "strem"; did you mean "stream"? See --help.'],
  [
    ['SECRET-KEY'],
    'Unknown command. There are spec, check, plan, write, stream, report, explain, onboard, serve and demo. See --help.',
  ],
  [
    ['constructor'],
    'Unknown command "constructor". There are spec, check, plan, write, stream, report, explain, onboard, serve and demo. See --help.',
  ],
  [['discover'], 'A destination has no discover: the catalog comes from the source. See --help.'],
  [
    ['check', 'config.json'],
    'check: There is an argument without an option: "config.json". Did you mean --config config.json? See check --help.',
  ],
  [['check', '-c', 'config.json'], 'check: Unknown option -c; did you mean --config? See check --help.'],
  [
    ['read'],
    'Unknown command "read". There are spec, check, plan, write, stream, report, explain, onboard, serve and demo. See --help.',
  ],
  [['--config', 'x', 'write'], 'A command comes first, then its options. See --help.'],
  [['--verison'], 'A command comes first, then its options. Did you mean --version? See --help.'],
  [['write', '--confg', 'x'], 'write: Unknown option --confg; did you mean --config? See write --help.'],
  [
    ['write', '--catalog', 'x'],
    'write: It needs --config FILE. The config of the connector, JSON: import_url, client_id, api_key; serve prints one. See write --help.',
  ],
  [
    ['write'],
    'write: It needs --config FILE and --catalog FILE. The config of the connector, JSON: import_url, client_id, api_key; serve prints one. The configured catalog, JSON: the streams of a source, their modes and keys. docs/tables-and-rows.md shows one. See write --help.',
  ],
  [
    ['check'],
    'check: It needs --config FILE. The config of the connector, JSON: import_url, client_id, api_key; serve prints one. See check --help.',
  ],
  [['spec', 'x'], 'spec: It takes no arguments, and found one: x. Leave it out. See spec --help.'],
  [['demo', '--fast'], 'demo: Unknown option --fast. See demo --help.'],
  [['plan', '--catalog', 'a', '--catalog', 'b'], 'plan: --catalog is given twice: give it once. See plan --help.'],
  [
    ['write', '--config', 'a', '--catalog', 'b', '--compare', 'c'],
    'write: --compare needs --summary FILE, where it leaves what changed. See write --help.',
  ],
  [
    ['stream', '--config', 'a', '--check', '--report', 'b'],
    'stream: --check writes no report: leave out --report or --check. See stream --help.',
  ],
  [
    ['stream', '--config', 'a', '--compare', 'b'],
    'stream: --json, --records and --compare are for --dry-run. See stream --help.',
  ],
  [
    ['stream', '--config', 'a', '--dry-run', '--from-dead-letters'],
    'stream: --dry-run and --from-dead-letters cannot be combined: leave one out. See stream --help.',
  ],
  [
    ['stream', '--config', 'a', '--dry-run', '--records', '0'],
    'stream: --records takes a number, such as --records 1000; found "0". See stream --help.',
  ],
])('wrong usage, %j, is said with what is meant', async (args, words) => {
  expect(await said(args)).toEqual({ code: 2, out: '', err: `${words}\n` })
})

it.each([
  ['--help'],
  ['spec'],
  ['onboard', '--schema'],
  ['--version'],
  ['onboard', '--example'],
  ['stream', '--example'],
  ['plan', '--catalog', 'spec/sample/catalog.json'],
])('says when standard output is broken, and not when its reader has left: %j', async (...args) => {
  expect(await said(args, { broken: 'EPIPE' })).toEqual({ code: 0, out: '', err: '' })
  const err = 'Standard output cannot be written: ENOSPC, there is no space left. [output.unwritable]\n'
  expect(await said(args, { broken: 'ENOSPC' })).toEqual({ code: 1, out: '', err })
})
