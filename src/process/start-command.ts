// The command that starts this program again, for hints that are to be copied: that of a checkout, of npm's package, of the image
// or of the single file, whichever it was started as.

import { basename, relative } from 'node:path'

export const PROGRAM = 'destination-analytics-service'

export interface Started {
  /** The script that Node ran, as its command line named it, absolute. */
  readonly script: string
  /** The file that a shell started, as it was typed, where the program is one executable file. */
  readonly executable?: string | undefined
  /** The working directory. `undefined` when there is none any more. */
  readonly folder: string | undefined
  /** START_COMMAND, which the image sets; npm's own. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The beginning of a line for a shell, up to the name of a command of ours. */
export function startCommand({ script, executable, folder, env }: Started): string {
  const { START_COMMAND, npm_lifecycle_event: npmScript } = env
  if (START_COMMAND) return START_COMMAND
  if (executable !== undefined) return executable
  if (npmScript === 'start' || npmScript === 'demo') return 'npm start --'
  if (/[\\/]node_modules[\\/]/.test(script)) return `npx ${PROGRAM}`
  // a link that an installation put on the PATH
  if (basename(script) === PROGRAM) return PROGRAM
  const path = folder === undefined ? script : relative(folder, script)
  return `node ${path.startsWith('..') ? script : path}`
}
