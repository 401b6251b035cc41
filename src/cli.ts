// Finds the command that argv names, checks its options and runs it. Each command and its help is loaded only when it is used.

import type { CommandHelp, CommandName } from './commands/help/help-texts.ts'
import type { Ended, Io } from './process/io.ts'
import { flushed, print } from './process/print.ts'
import type { ArgumentValues } from './process/read-arguments.ts'

type RunCommand = (values: ArgumentValues, io: Io) => Promise<Ended>

/** The value of an option that takes a text. (`argumentText` does the same, but its file is loaded only for a command that has options.) */
const textOf = (values: ArgumentValues, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** How each command is run, once its required options are found to be given. `flushed` waits until a result that was printed has left. */
const COMMANDS: Readonly<Record<CommandName, RunCommand>> = {
  spec: async (_values, io) => flushed(io, await (await import('./commands/spec.ts')).spec(io.stdout)),
  check: async (values, io) => {
    const { check } = await import('./commands/check.ts')
    const options = { configFile: textOf(values, 'config')!, tellsByCode: values['exit-code'] === true }
    return flushed(io, await check(options, io))
  },
  write: async (values, io) => {
    const { write, dryWrite } = await import('./commands/write.ts')
    const [report, summary, compare] = ['report', 'summary', 'compare'].map((name) => textOf(values, name))
    const files = { configFile: textOf(values, 'config'), catalogFile: textOf(values, 'catalog')! }
    if (values['dry-run'] === true) {
      const answer = { json: values['json'] === true, compare, failOnChange: values['fail-on-change'] === true }
      return flushed(io, await dryWrite({ ...files, ...answer }, io))
    }
    return write({ ...files, configFile: files.configFile!, reportFiles: { report, summary, compare } }, io)
  },
  plan: async (values, io) => {
    const { plan } = await import('./commands/plan.ts')
    const files = { catalogFile: textOf(values, 'catalog')!, configFile: textOf(values, 'config') }
    return flushed(io, await plan({ ...files, json: values['json'] === true }, io))
  },
  report: async (values, io) => (await import('./commands/report.ts')).reportCommand(textOf(values, 'summary')!, io),
  explain: async (values, io) => (await import('./commands/explain.ts')).explain(textOf(values, 'code')!, io),
  onboard: async (values, io) => (await import('./commands/onboard/onboard.ts')).onboardCommand(values, io),
  stream: async (values, io) => (await import('./commands/stream/stream-command.ts')).streamCommand(values, io),
  serve: async (values, io) => (await import('./commands/serve/serve.ts')).serve(values, io),
  demo: async (_values, io) => (await import('./commands/demo.ts')).demo(io),
}

const HELP: ReadonlySet<string | undefined> = new Set(['help', '--help', '-h'])
const VERSION: ReadonlySet<string> = new Set(['version', '--version', '-V', '-v'])
/** Options of some commands that print a file of the program, and how its name ends: `write --schema` prints write-config.schema.json. */
const PRINTED_FILES = { schema: 'schema.json', example: 'example.yaml' }
/** Commands with a single option, whose name may be left out in front of its value: `explain CODE`. */
const SINGLE_OPTIONS: Partial<Record<CommandName, { readonly option: string; readonly value: string }>> = {
  report: { option: '--summary', value: 'the summary of a run' },
  explain: { option: '--code', value: 'the code in brackets behind an error' },
}
/** Commands that run without loading any help or reader of options: `spec` is to cost little more than starting Node. */
const WITHOUT_OPTIONS: ReadonlySet<string> = new Set(['spec', 'demo'])

/** Runs the command that argv names. On wrong usage prints a message on stderr and returns exit code 2. Never throws. */
export async function runCommand(io: Io): Promise<Ended> {
  const [name, ...args] = io.argv
  if (name !== undefined && WITHOUT_OPTIONS.has(name) && args.length === 0) return COMMANDS[name as CommandName]({}, io)
  const { printHelp, misuse, unknownCommand } = await import('./commands/help/render-help.ts')
  if (name === undefined) return printHelp(undefined, io, 'stderr')
  if (VERSION.has(name)) return print(io, `${(await import('./version.ts')).version()}\n`)
  // `help write` asks for the help of a command, `help` alone for the list of all
  const named = HELP.has(name) ? args.find((argument) => !HELP.has(argument)) : name
  if (named === undefined) return printHelp(undefined, io)
  if (!Object.hasOwn(COMMANDS, named)) return unknownCommand(named, io)
  const command = named as CommandName
  const help: CommandHelp = (await import('./commands/help/help-texts.ts')).HELP[command]
  if (HELP.has(name) || asksForHelp(args)) return printHelp(help, io)
  const { readArguments } = await import('./process/read-arguments.ts')
  const single = SINGLE_OPTIONS[command]
  const isNameLeftOut = single !== undefined && args[0]?.startsWith('-') === false
  const read = readArguments(isNameLeftOut ? [single.option, ...args] : args, help.options)
  if (read.problem !== undefined) return misuse(io, read.problem, command)
  for (const [option, ending] of Object.entries(PRINTED_FILES)) {
    if (read.values[option] !== true) continue
    const { packageFile } = await import('./files/package-file.ts')
    return print(io, packageFile(`../spec/${command}-config.${ending}`, import.meta.url).toString())
  }
  const problem =
    missingOptions(help, read.values, single?.value) ??
    misplacedFailOnChange(read.values) ??
    (command === 'write' ? conflictingOptions(read.values) : undefined)
  return problem === undefined ? COMMANDS[command](read.values, io) : misuse(io, problem, command)
}

/** Says which options are required but missing, and not made needless by the one that `unless` names. `undefined` when none is.
 *  @param singleValue describes the value of a command's only option */
function missingOptions(help: CommandHelp, values: ArgumentValues, singleValue?: string): string | undefined {
  const isFlagSet = (option: string | undefined): boolean => option !== undefined && values[option] === true
  const absent = Object.entries(help.options).filter(
    ([option, { required, unless }]) => required === true && textOf(values, option) === undefined && !isFlagSet(unless),
  )
  if (absent.length === 0) return undefined
  const [, exampleLine] = help.examples[0]!
  if (singleValue !== undefined) return `It needs ${singleValue}, for example: ${exampleLine}.`
  const words = absent.map(([option, { value }]) => `--${option} ${value}`).join(' and ')
  return `It needs ${words}. ${absent.map(([, { says }]) => says).join(' ')}`
}

/** Says that --fail-on-change lacks what it goes with. `undefined` when it does not. */
function misplacedFailOnChange({ 'fail-on-change': fails, 'dry-run': isDry, compare }: ArgumentValues) {
  if (fails !== true || (isDry === true && compare !== undefined)) return undefined
  return '--fail-on-change goes with --dry-run --compare OLD: a run finds what changed when it has sent it, and nothing can be taken back.'
}

/** Says which options of `write` do not go together; other commands check theirs themselves. `undefined` when all do. */
function conflictingOptions(values: ArgumentValues): string | undefined {
  const [report, summary, compare] = ['report', 'summary', 'compare'].map((name) => textOf(values, name))
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
  const options = end < 0 ? args : args.slice(0, end)
  return options.some((argument) => argument === '--help' || argument === '-h')
}
