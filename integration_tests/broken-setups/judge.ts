// Whether what a broken set-up said is enough: the field, what was found, what to do, the exit code; and what no output may
// hold. Knows no process.

import { holds, type BrokenSetup } from '../../spec/broken-setups/read-cases.ts'
import { KEYS } from './places.ts'
import { countOf, told, type Played } from './play.ts'

/** Characters of both streams together. */
const MOST = 2100

const NEVER: readonly [what: string, is: RegExp][] = [
  ['a stack trace', /^\s+at .+[:(].*\d/m],
  ['a path of the program', /(?:src|dist|node_modules)\/[\w/.-]+\.[jt]s/],
  ['a value in place of words', /\b(?:undefined|NaN|\[object )/],
  ['an unfilled text', /\$\{[a-z]+\}|%[sdo]\b/],
]

/** Everything that is wrong; empty: all is well. */
export async function judged(setup: BrokenSetup, played: Played): Promise<string[]> {
  const { says } = setup
  const { stdout, stderr, code } = played
  const { message, kind, codes } = told(played, says.at)
  const wrong: string[] = []
  const check = (is: boolean, what: string): void => void (is || wrong.push(what))

  for (const [group, wanted] of Object.entries({ ...pick(says), quoted: [says.quoted] }))
    for (const text of await played.fill(wanted)) check(holds(message, text), `${group}: ${text}`)
  check(code === says.exit, `exit: ${says.exit}, it was ${code}`)
  check(says.kind === undefined || kind === says.kind, `kind: ${says.kind}, it was ${kind}`)
  check(says.code === undefined || codes.includes(says.code), `code: ${says.code}, they were ${codes.join(', ')}`)
  check(countOf(stdout, 'TRACE') <= 1, 'one TRACE at most')
  check(countOf(stdout, 'STATE') === setup.states, `${setup.states} STATE lines`)
  check(says.at !== 'CONNECTION_STATUS' || countOf(stdout, says.at) === 1, 'one CONNECTION_STATUS')
  check(stdout.length + stderr.length <= MOST, `${MOST} characters at most, ${stdout.length + stderr.length} were said`)
  for (const [what, is] of NEVER) check(!is.test(cleared(stdout + stderr, setup)), `never ${what}`)
  for (const secret of [...setup.secrets, ...Object.values(KEYS)]) {
    const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
    check(!forms.some((form) => (stdout + stderr).includes(form)), `never the secret ${secret}`)
  }
  return wrong
}

function pick({ names, found, todo }: BrokenSetup['says']): Record<string, readonly string[]> {
  return { names, found, todo }
}

/** Without what the case itself wants said. */
function cleared(text: string, { says }: BrokenSetup): string {
  return says.found.includes('NaN') ? text.replaceAll('NaN', '') : text
}
