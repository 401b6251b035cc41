// What is printed where help is asked for, or the program was used wrongly: the overview, a command's help, a misuse.

import { isSea } from 'node:sea'
import type { Ended, Io } from '../../process/io.ts'
import { paintFor } from '../../process/paint.ts'
import { print } from '../../process/print.ts'
import { WORD } from '../../process/read-arguments.ts'
import { PROGRAM } from '../../process/start-command.ts'
import { nearestName } from '../../text/nearest-name.ts'
import { listed, wrap } from '../../text/printable.ts'
import { HELP, type CommandHelp, type Example, type OptionHelp } from './help-texts.ts'

/** Columns. Where there are fewer, words stand below what they explain. */
const NARROW = 72
/** Fewest and most characters of the column of names that words stand beside. */
const [SHORTEST_NAME, WIDEST_NAME] = [1, 24]
/** Stands for a space at which no line is broken. */
const NO_BREAK = '\u00a0'
const HELP_OPTION = ['-h, --help', 'This text.'] as const

/** Renders the help of one command.
 *  @param width in columns, which only a single long word exceeds
 *  @param command what starts this program
 *  @param hasDocs whether the pages of docs/ are there
 *  @returns text that ends in a line feed */
export function renderHelp(help: CommandHelp, width: number, command = PROGRAM, hasDocs = true): string {
  const sections = [
    help.usage.map((line, at) => usage(line, at, width, command)).join('\n'),
    wrap(help.about, width, ''),
    section('Options', table([...Object.entries(help.options).map(optionRow), HELP_OPTION], width)),
    section('Examples', help.examples.map((example) => exampleLines(example, width, command)).join('\n')),
    ...(help.environment === undefined ? [] : [section('Environment', table(Object.entries(help.environment), width))]),
    section('Exit codes', table(Object.entries(help.exits), width)),
    ...(hasDocs ? [wrap(`More: ${help.more}`, width, '  ')] : []),
  ]
  return `${sections.join('\n\n').replaceAll(NO_BREAK, ' ')}\n`
}

function section(title: string, lines: string): string {
  return `${title}:\n${lines}`
}

/** Wraps a usage line, but not between an option and its value, nor within brackets. @param at its index: only the first one is labelled */
function usage(line: string, at: number, width: number, command: string): string {
  const label = 'Usage: '
  const head = at === 0 ? label : ' '.repeat(label.length)
  const indent = ' '.repeat(width < NARROW ? 4 : label.length + 4)
  const whole = unbroken(line, /\[[^\]]*\]…?|--[a-z-]+ [A-Z]+|< [A-Z]+/g)
  return wrap(`${head}${command} ${whole}`, width, indent)
}

/** Keeps each part that matches `unit` on one line: its spaces become NO_BREAK. */
function unbroken(line: string, unit: RegExp): string {
  return line.replaceAll(unit, (text) => text.replaceAll(' ', NO_BREAK))
}

function optionRow([name, { value, says, otherwise, required }]: [string, OptionHelp]): readonly [string, string] {
  const byDefault = otherwise === undefined ? '' : ` Default: ${otherwise}.`
  const ending = required === true ? ' Required.' : byDefault
  return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${says}${ending}`]
}

/** Lays out names and their words side by side. A name that is too long has a line of its own. */
function table(rows: readonly (readonly [string, string])[], width: number): string {
  const longest = Math.max(
    SHORTEST_NAME,
    ...rows.map(([name]) => name.length).filter((length) => length <= WIDEST_NAME),
  )
  const indent = width < NARROW ? 6 : longest + 4
  return rows
    .map(([name, words]) => {
      const beside = width >= NARROW && name.length <= longest
      const shown = width < NARROW ? words.replaceAll(NO_BREAK, ' ') : words
      const text = wrap(`${' '.repeat(indent)}${shown}`, width, ' '.repeat(indent))
      return beside ? `  ${name.padEnd(longest)}  ${text.slice(indent)}` : `  ${name}\n${text}`
    })
    .join('\n')
}

/** Puts the name of the program in front of an example, but behind variables that this sets. */
export function commandLine(run: string, program = PROGRAM): string {
  return run.replace(/^(?:[A-Z_]+=\S+ )?/, (variables) => `${variables}${program} `)
}

/** Wraps an example into lines that a shell takes for one, as each but the last ends in ` \`. Options and redirections stay whole. */
function exampleLines([says, run]: Example, width: number, program: string): string {
  const line = commandLine(run, program)
  const whole = width < NARROW ? line : unbroken(line, /--[a-z-]+ [^-<>\s]\S*|[<>] \S+/g)
  const commandLines = wrap(`    ${whole}`, width - 2, '      ').replaceAll('\n', ' \\\n')
  return `${wrap(`  ${says}`, width, '  ')}\n${commandLines}`
}

const HEAD = `${PROGRAM}: records in, upserted tables out`
const TAIL = [
  '`COMMAND --help` or `help COMMAND`: every option of a command, examples, exit codes. `--version`, `-V`: the version.',
  'Exit codes: 0 success · 1 failure, with the reason · 2 wrong usage · 3 onboard has a question · 129 terminal closed, 130 interrupted, 143 terminated (progress is saved; run it again to continue).',
]
const MORE = 'More: README.md and docs/index.md.'

/** Renders the overview as `renderHelp` does a command. */
export function overview(width: number, command = PROGRAM, hasDocs = true): string {
  const longest = Math.max(...Object.keys(HELP).map(({ length }) => length))
  const commands = Object.entries(HELP).map(([name, { brief }]) =>
    wrap(`  ${name}${NO_BREAK.repeat(longest - name.length + 2)}${brief}`, width, ' '.repeat(longest + 4)),
  )
  const parts = [
    ...[HEAD, `Usage: ${command} COMMAND [OPTIONS]`].map((text) => wrap(text, width, '  ')),
    commands.join('\n').replaceAll(NO_BREAK, ' '),
    ...(hasDocs ? [...TAIL, MORE] : TAIL).map((text) => wrap(text, width, '  ')),
  ]
  return `${parts.join('\n\n')}\n`
}

const [LEAST_COLUMNS, USUAL_COLUMNS, MOST_COLUMNS] = [20, 80, 120]

/** Prints the help of a command, or the overview if `help` is undefined. It goes to standard error if it was not asked for.
 *  @returns 0; 2 when it was not asked for */
export async function printHelp(
  help: CommandHelp | undefined,
  io: Pick<Io, 'stdout' | 'stderr' | 'columns' | 'env' | 'command'>,
  to: 'stdout' | 'stderr' = 'stdout',
): Promise<Ended> {
  const width = widthOf(io)
  // the docs are not in a container image, which sets START_COMMAND, nor in a single executable file
  const hasDocs = io.env['START_COMMAND'] === undefined && !isSea()
  const text = help === undefined ? overview(width, io.command, hasDocs) : renderHelp(help, width, io.command, hasDocs)
  if (to === 'stdout') return print(io, text)
  await io.stderr.write(text).catch(() => {})
  return 2
}

/** The width of the terminal; elsewhere what COLUMNS says. */
function widthOf({ columns, env }: Pick<Io, 'columns' | 'env'>): number {
  const given = /^\d{1,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : USUAL_COLUMNS
  return Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns ?? given))
}

type Misused = Pick<Io, 'stderr' | 'env' | 'isDumb' | 'errorSize'>

/** Prints what is wrong with the usage to standard error.
 *  @param problem sentences
 *  @param command whose usage is wrong; absent when it is the program's
 *  @returns 2 */
export async function misuse(io: Misused, problem: string, command?: string): Promise<Ended> {
  const said = paintFor(io, io.errorSize?.() !== undefined)('bad', problem)
  const text = command === undefined ? `${said} See --help.\n` : `${command}: ${said} See ${command} --help.\n`
  await io.stderr.write(text).catch(() => {})
  return 2
}

/** Prints that there is no such command, with the one that was probably meant. @returns 2 */
export async function unknownCommand(name: string, io: Misused): Promise<Ended> {
  const near = nearestName(name, [...Object.keys(HELP), 'help', 'version'])
  if (name.startsWith('-')) {
    const hint = near === 'help' || near === 'version' ? ` Did you mean --${near}?` : ''
    return misuse(io, `A command comes first, then its options.${hint}`)
  }
  if (name === 'discover') return misuse(io, 'A destination has no discover: the catalog comes from the source.')
  // any other text may be a key in the wrong place
  const shown = WORD.test(name) ? ` "${name}"` : ''
  const hint = near === undefined ? `. There are ${listed(Object.keys(HELP))}.` : `; did you mean "${near}"?`
  return misuse(io, `Unknown command${shown}${hint}`)
}
