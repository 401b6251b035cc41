// A command's help as lines of a width. Knows no command.

import { wrap } from '../../text/wrap.ts'
import type { CommandHelp, Example, OptionHelp } from './command-help.ts'
import { PROGRAM } from './program.ts'

/** Narrower than this, words stand below what they explain. */
const NARROW = 72
const [SHORTEST_NAME, WIDEST_NAME] = [1, 24]
/** A space that is no place to break a line at. */
const KEPT = '\u00a0'
const HELP = ['-h, --help', 'This text.'] as const

/** @param width columns; only a word that is longer is wider
 *  @returns text that ends in a line feed */
export function renderHelp(help: CommandHelp, width: number): string {
  const sections = [
    help.usage.map((line, at) => usage(line, at, width)).join('\n'),
    wrap(help.about, width, ''),
    section('Options', table([...Object.entries(help.options).map(optionRow), HELP], width)),
    section('Examples', help.examples.map((example) => exampleLines(example, width)).join('\n')),
    ...(help.environment === undefined ? [] : [section('Environment', table(Object.entries(help.environment), width))]),
    section('Exit codes', table(Object.entries(help.exits), width)),
    wrap(`More: ${help.more}`, width, '  '),
  ]
  return `${sections.join('\n\n').replaceAll(KEPT, ' ')}\n`
}

function section(title: string, lines: string): string {
  return `${title}:\n${lines}`
}

/** What stands in brackets is not torn apart. */
function usage(line: string, at: number, width: number): string {
  const head = at === 0 ? 'Usage: ' : '       '
  const whole = kept(line, /\[[^\]]*\]…?|--[a-z-]+ [A-Z]+|< [A-Z]+/g)
  return wrap(`${head}${PROGRAM} ${whole}`, width, ' '.repeat(width < NARROW ? 4 : 11))
}

function kept(line: string, unit: RegExp): string {
  return line.replaceAll(unit, (text) => text.replaceAll(' ', KEPT))
}

function optionRow([name, { value, says, otherwise, required }]: [string, OptionHelp]): readonly [string, string] {
  const rest = required === true ? ' Required.' : otherwise === undefined ? '' : ` Default: ${otherwise}.`
  return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${says}${rest}`]
}

/** A name that is too long has a line of its own. */
function table(rows: readonly (readonly [string, string])[], width: number): string {
  const longest = Math.max(
    SHORTEST_NAME,
    ...rows.map(([name]) => name.length).filter((length) => length <= WIDEST_NAME),
  )
  const indent = width < NARROW ? 6 : longest + 4
  return rows
    .map(([name, words]) => {
      const beside = width >= NARROW && name.length <= longest
      const shown = width < NARROW ? words.replaceAll(KEPT, ' ') : words
      const text = wrap(`${' '.repeat(indent)}${shown}`, width, ' '.repeat(indent))
      return beside ? `  ${name.padEnd(longest)}  ${text.slice(indent)}` : `  ${name}\n${text}`
    })
    .join('\n')
}

/** Lines that a shell takes for one. */
function exampleLines({ says, run }: Example, width: number): string {
  const whole = width < NARROW ? run : kept(run, /--[a-z-]+ [^-<>\s]\S*|[<>] \S+/g)
  const command = wrap(`    ${whole}`, width - 2, '      ').replaceAll('\n', ' \\\n')
  return `${wrap(`  ${says}`, width, '  ')}\n${command}`
}
