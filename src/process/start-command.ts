// The command that starts this program again, for hints that are to be copied: that of a checkout, of npm's package, of the image
// or of the single file, whichever it was started as.

import { basename, relative } from 'node:path'

export const PROGRAM = 'destination-analytics-service'

export interface Started {
  /** The absolute path of the script that Node runs. */
  readonly script: string
  /** The executable file as it was typed. `undefined` when the program is not a single file that Node is part of. */
  readonly executable?: string | undefined
  /** The working directory. `undefined` when it was removed. */
  readonly folder: string | undefined
  /** Variables: the image sets START_COMMAND, and npm the name of the script that it runs. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The command line that starts this program again, behind which one of its commands follows. */
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
