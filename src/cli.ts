// Finds the command that argv names and reads its options. Each command and its help is loaded only when it is used.

import type { CommandHelp, CommandName } from './commands/help/help-texts.ts'
import type { Ended, Io } from './process/io.ts'
import { flushed, print } from './process/print.ts'
import type { ArgumentValues } from './process/read-arguments.ts'

type Run = (values: ArgumentValues, io: Io) => Promise<Ended>

const text = (values: ArgumentValues, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

const COMMANDS: Readonly<Record<CommandName, Run>> = {
  spec: async (_values, io) => flushed(io, await (await import('./commands/spec.ts')).spec(io.stdout)),
  check: async (values, io) => {
    const { check } = await import('./commands/check.ts')
    const options = { configFile: text(values, 'config')!, tellsByCode: values['exit-code'] === true }
    return flushed(io, await check(options, io))
  },
  write: async (values, io) => {
    const { write, dryWrite } = await import('./commands/write.ts')
    const [report, summary, compare] = ['report', 'summary', 'compare'].map((name) => text(values, name))
    const files = { configFile: text(values, 'config'), catalogFile: text(values, 'catalog')! }
    if (values['dry-run'] === true) {
      const how = { json: values['json'] === true, compare, failOnChange: values['fail-on-change'] === true }
      return flushed(io, await dryWrite({ ...files, ...how }, io))
    }
    return write({ ...files, configFile: files.configFile!, reportFiles: { report, summary, compare } }, io)
  },
  plan: async (values, io) => {
    const { plan } = await import('./commands/plan.ts')
    const files = { catalogFile: text(values, 'catalog')!, configFile: text(values, 'config') }
    return flushed(io, await plan({ ...files, json: values['json'] === true }, io))
  },
  report: async (values, io) => (await import('./commands/report.ts')).reportCommand(text(values, 'summary')!, io),
  explain: async (values, io) => (await import('./commands/explain.ts')).explain(text(values, 'code')!, io),
  onboard: async (values, io) => (await import('./commands/onboard/onboard.ts')).onboardCommand(values, io),
  stream: async (values, io) => (await import('./commands/stream/stream-command.ts')).streamCommand(values, io),
  serve: async (values, io) => (await import('./commands/serve/serve.ts')).serve(values, io),
  demo: async (_values, io) => (await import('./commands/demo.ts')).demo(io),
}

const HELP: ReadonlySet<string | undefined> = new Set(['help', '--help', '-h'])
const VERSION: ReadonlySet<string> = new Set(['version', '--version', '-V', '-v'])
/** Options that print a file of the command's config, each with the end of its name. */
const GENERATED = { schema: 'schema.json', example: 'example.yaml' }
/** Commands whose one option may be left out in front of its value, and what that is. */
const BARE: Partial<Record<CommandName, { readonly option: string; readonly what: string }>> = {
  report: { option: '--summary', what: 'the summary of a run' },
  explain: { option: '--code', what: 'the code in brackets behind an error' },
}
/** Commands that run before anything else is loaded; `spec` has to. */
const WITHOUT_OPTIONS: ReadonlySet<string> = new Set(['spec', 'demo'])

/** Runs the command argv names. Wrong usage: a message on stderr, exit code 2. Never throws. */
export async function runCommand(io: Io): Promise<Ended> {
  const [name, ...args] = io.argv
  if (name !== undefined && WITHOUT_OPTIONS.has(name) && args.length === 0) return COMMANDS[name as CommandName]({}, io)
  const { printHelp, misuse, unknownCommand } = await import('./commands/help/render-help.ts')
  if (name === undefined) return printHelp(undefined, io, 'stderr')
  if (VERSION.has(name)) return print(io, `${(await import('./version.ts')).version()}\n`)
  const asked = HELP.has(name) ? args.find((argument) => !HELP.has(argument)) : name
  if (asked === undefined) return printHelp(undefined, io)
  if (!Object.hasOwn(COMMANDS, asked)) return unknownCommand(asked, io)
  const command = asked as CommandName
  const help: CommandHelp = (await import('./commands/help/help-texts.ts')).HELP[command]
  if (HELP.has(name) || asksForHelp(args)) return printHelp(help, io)
  const { readArguments } = await import('./process/read-arguments.ts')
  const bare = BARE[command]
  const isBare = bare !== undefined && args[0]?.startsWith('-') === false
  const read = readArguments(isBare ? [bare.option, ...args] : args, help.options)
  if (read.problem !== undefined) return misuse(io, read.problem, command)
  for (const [option, ending] of Object.entries(GENERATED)) {
    if (read.values[option] !== true) continue
    const { packageFile } = await import('./files/package-file.ts')
    return print(io, packageFile(`../spec/${command}-config.${ending}`, import.meta.url).toString())
  }
  const problem = missing(help, read.values, bare?.what) ?? unfitGate(read.values) ?? unfit(command, read.values)
  return problem === undefined ? COMMANDS[command](read.values, io) : misuse(io, problem, command)
}

// What is wrong with the options of a command, as a sentence; `undefined` when nothing is.

/** @param what the value of a command that takes only one */
function missing({ options, examples }: CommandHelp, values: ArgumentValues, what?: string): string | undefined {
  const absent = Object.entries(options).filter(
    ([option, { required, unless }]) =>
      required === true && text(values, option) === undefined && values[unless ?? ''] !== true,
  )
  if (absent.length === 0) return undefined
  if (what !== undefined) return `It needs ${what}, for example: ${examples[0]![1]}.`
  const words = absent.map(([option, { value }]) => `--${option} ${value}`).join(' and ')
  return `It needs ${words}. ${absent.map(([, { says }]) => says).join(' ')}`
}

function unfitGate({ 'fail-on-change': isGate, 'dry-run': isDry, compare }: ArgumentValues): string | undefined {
  if (isGate !== true || (isDry === true && compare !== undefined)) return undefined
  return '--fail-on-change goes with --dry-run --compare OLD: a run finds what changed when it has sent it, and nothing can be taken back.'
}

/** Options of `write` that do not go together; other commands look at their own. */
function unfit(command: CommandName, values: ArgumentValues): string | undefined {
  if (command !== 'write') return undefined
  const [report, summary, compare] = ['report', 'summary', 'compare'].map((name) => text(values, name))
  if (values['dry-run'] === true)
    return (report ?? summary) === undefined
      ? undefined
      : '--dry-run leaves no report and no summary: --json prints what it found.'
  if (compare !== undefined && summary === undefined)
    return '--compare needs --summary FILE, where it leaves what changed.'
  return values['json'] === true ? '--json is for --dry-run.' : undefined
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.some((argument, at) => (argument === '--help' || argument === '-h') && (end < 0 || at < end))
}
