// What is said to somebody who asks, or who used the program wrongly. Knows no command but by what it says of itself.

import type { Ended, Io } from '../../process/io.ts'
import { nearestName } from '../../text/nearest-name.ts'
import { WORD } from '../../process/read-arguments.ts'
import type { CommandHelp } from './command-help.ts'
import { COMMANDS, overview } from './overview.ts'
import { print } from './print.ts'
import { renderHelp } from './render-help.ts'

const [LEAST, USUAL, MOST] = [20, 80, 120]

/** The overview, or a command's help. To standard error goes what was not asked for.
 *  @returns 0; 2 when it was not asked for */
export async function explained(
  help: CommandHelp | undefined,
  io: Pick<Io, 'stdout' | 'stderr' | 'columns' | 'env'>,
  to: 'stdout' | 'stderr' = 'stdout',
): Promise<Ended> {
  const width = widthOf(io)
  const text = help === undefined ? overview(width) : renderHelp(help, width)
  if (to === 'stdout') return print(io, text)
  await io.stderr.write(text).catch(() => {})
  return 2
}

/** Of the terminal; elsewhere what COLUMNS says. */
function widthOf({ columns, env }: Pick<Io, 'columns' | 'env'>): number {
  const said = /^\d{1,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : USUAL
  return Math.min(MOST, Math.max(LEAST, columns ?? said))
}

/** @param problem sentences
 *  @param command whose usage is wrong */
export async function misuse(io: Pick<Io, 'stderr'>, problem: string, command?: string): Promise<Ended> {
  const text = command === undefined ? `${problem} See --help.\n` : `${command}: ${problem} See ${command} --help.\n`
  await io.stderr.write(text).catch(() => {})
  return 2
}

export async function unknownCommand(name: string, io: Pick<Io, 'stderr'>): Promise<Ended> {
  const near = nearestName(name, [...Object.keys(COMMANDS), 'help', 'version'])
  if (name.startsWith('-')) {
    const hint = near === 'help' || near === 'version' ? ` Did you mean --${near}?` : ''
    return misuse(io, `A command comes first, then its options.${hint}`)
  }
  const shown = WORD.test(name) ? ` "${name}"` : ''
  return misuse(io, `Unknown command${shown}${near === undefined ? '.' : `; did you mean "${near}"?`}`)
}
