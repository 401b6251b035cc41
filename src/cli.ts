// argv → command. Decides usage and which words are known; each command is loaded only when it is meant.

import { parseArgs } from 'node:util'
import type { Ended, Io } from './commands/io.ts'
import { USAGE } from './usage.ts'

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>
type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

interface Command {
  readonly options: Options
  readonly required: readonly string[]
  run(values: Values, io: Io): Promise<Ended>
}

const text = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** What is shown of an argument: it may be a key in the wrong place. */
const WORD = /^[a-z][a-z-]{0,15}$/

const FILE = { type: 'string' } as const

const COMMANDS: Record<string, Command> = {
  spec: {
    options: {},
    required: [],
    run: async (_values, io) => (await import('./commands/spec.ts')).spec(io.stdout),
  },
  check: {
    options: { config: FILE },
    required: ['config'],
    run: async (values, io) =>
      (await import('./commands/check.ts')).check(
        { configFile: text(values, 'config')!, env: io.env, signal: io.signal, scrubber: io.scrubber },
        io.stdout,
      ),
  },
  write: {
    options: { config: FILE, catalog: FILE },
    required: ['config', 'catalog'],
    run: async (values, io) =>
      (await import('./commands/write.ts')).write(
        { configFile: text(values, 'config')!, catalogFile: text(values, 'catalog')! },
        io,
      ),
  },
  plan: {
    options: { catalog: FILE, config: FILE, json: { type: 'boolean' } },
    required: ['catalog'],
    run: async (values, io) =>
      (await import('./commands/plan.ts')).plan(
        { catalogFile: text(values, 'catalog')!, configFile: text(values, 'config'), json: values['json'] === true },
        io,
      ),
  },
  onboard: {
    options: {
      config: FILE,
      journal: FILE,
      output: FILE,
      json: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      example: { type: 'boolean' },
      'client-id': FILE,
      'user-id': FILE,
      'connection-id': FILE,
      'job-id': FILE,
      'dashboard-id': FILE,
      'not-created': { type: 'string', multiple: true },
    },
    required: [],
    run: async (values, io) => (await import('./commands/onboard-command.ts')).onboardCommand(values, io),
  },
  serve: {
    options: {
      port: FILE,
      host: FILE,
      client: { type: 'string', multiple: true },
      data: FILE,
      load: { type: 'string', multiple: true },
      latency: FILE,
      'error-rate': FILE,
      seed: FILE,
      'max-body': FILE,
      'rate-limit': FILE,
      compat: { type: 'boolean' },
      user: { type: 'string', multiple: true },
      oauth: { type: 'string', multiple: true },
      'token-seconds': FILE,
      'job-seconds': FILE,
    },
    required: [],
    run: async (values, io) => (await import('./commands/serve-command.ts')).serveCommand(values, io),
  },
  demo: {
    options: {},
    required: [],
    run: async (_values, io) => (await import('./commands/demo.ts')).demo(io),
  },
}

/** Runs the command argv names. Wrong usage: a message on stderr, exit code 2. Never throws. */
export async function runCommand(io: Io): Promise<Ended> {
  const [name, ...rest] = io.argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await io[name === undefined ? 'stderr' : 'stdout'].write(USAGE)
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    await io.stdout.write(`${await version()}\n`)
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) return misuse(io, `Unknown command${WORD.test(name) ? ` "${name}"` : ''}${await suggestion(name)}.`)
  const values = parse(command, rest)
  if (typeof values === 'string') return misuse(io, `${name}: ${values}`)
  if (values['help'] === true) {
    await io.stdout.write(USAGE)
    return 0
  }
  const missing = command.required.filter((option) => text(values, option) === undefined)
  if (missing.length > 0)
    return misuse(io, `${name} needs ${missing.map((option) => `--${option} FILE`).join(' and ')}.`)
  return command.run(values, io)
}

function parse(command: Command, args: string[]): Values | string {
  try {
    return parseArgs({ args, options: { ...command.options, help: { type: 'boolean', short: 'h' } }, strict: true })
      .values
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    // its message quotes the argument
    const isStray = 'code' in error && error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
    return isStray ? 'there is an argument that belongs to no option.' : error.message
  }
}

async function misuse(io: Io, message: string): Promise<number> {
  await io.stderr.write(`${message} See --help.\n`)
  return 2
}

async function suggestion(name: string): Promise<string> {
  const { nearestName } = await import('./config/nearest-name.ts')
  const near = nearestName(name, Object.keys(COMMANDS))
  return near === undefined ? '' : `; did you mean "${near}"?`
}

async function version(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
