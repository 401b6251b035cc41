// What `--help` alone says: one page. Knows the commands by name only.

import { wrap } from '../../text/wrap.ts'
import { PROGRAM } from './program.ts'

export const COMMANDS = {
  spec: 'print the connector specification',
  check: 'is everything there that a write needs?',
  plan: 'what a catalog would become, before any data moves',
  write: 'Airbyte messages on standard input → tables; STATE lines come back',
  stream: 'topics of Kafka → tables, as a member of a consumer group',
  onboard: 'a client, a user, a connection and dashboards, each made once',
  serve: 'the local Analytics Service, to try things on',
  demo: 'a whole sync against a local service, in a few seconds',
} as const

const HEAD = [`${PROGRAM}: records in, upserted tables out`, `Usage: ${PROGRAM} COMMAND [OPTIONS]`]
const TAIL = [
  '`COMMAND --help` or `help COMMAND`: every option of a command, examples, exit codes. `--version`, `-V`: the version. From a checkout: `node src/main.ts COMMAND`.',
  'Exit codes: 0 done · 1 failed, it says why · 2 wrong usage · 3 onboard asks · 129 terminal closed, 130 interrupted, 143 told to end (what was settled is committed; run again to go on).',
  'More: README.md and the pages in docs.',
]

/** @param width columns; only a word that is longer is wider
 *  @returns text that ends in a line feed */
export function overview(width: number): string {
  const longest = Math.max(...Object.keys(COMMANDS).map(({ length }) => length))
  const commands = Object.entries(COMMANDS).map(([name, words]) =>
    wrap(`  ${name}${'\u00a0'.repeat(longest - name.length + 2)}${words}`, width, ' '.repeat(longest + 4)),
  )
  const parts = [
    ...HEAD.map((text) => wrap(text, width, '  ')),
    commands.join('\n').replaceAll('\u00a0', ' '),
    ...TAIL.map((text) => wrap(text, width, '  ')),
  ]
  return `${parts.join('\n\n')}\n`
}
