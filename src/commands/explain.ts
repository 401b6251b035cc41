// `explain`: what the docs say of a code or an event of the log, where they are not at hand.

import { packageFile } from '../files/package-file.ts'
import { parseJson } from '../json/true-names.ts'
import type { Ended, Io } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import { print } from '../process/print.ts'
import { didYouMean } from '../text/nearest-name.ts'
import { wrap } from '../text/printable.ts'
import { misuse } from './help/render-help.ts'

/** Columns of a text that goes elsewhere than to a terminal. */
const WIDTH_ELSEWHERE = 100

/** A code with its rows of docs/troubleshooting.md, or an event, which has none (spec/codes-reference.ts). */
interface Explanation {
  readonly means: string
  /** `message` as it is said, `…` for what varies; absent when the row is of the code alone. */
  readonly rows: readonly { readonly message?: string; readonly why: string; readonly todo: string }[]
}

/** Prints what a code or an event means.
 *  @param given a code or an event, with or without the brackets that stand around it in texts
 *  @returns 0; 2, after a message, where there is no such code */
export async function explain(given: string, io: Io): Promise<Ended> {
  // from src/commands and dist/commands alike
  const all = parseJson(packageFile('../../spec/codes.json', import.meta.url).toString()) as Record<string, Explanation>
  const code = given.trim().replace(/^\[(.*)\]$/, '$1')
  if (!Object.hasOwn(all, code)) {
    const meant = didYouMean(code, Object.keys(all)) || ' docs/troubleshooting.md#codes lists them, and the events.'
    // what does not look like a code may be a secret, and is not shown
    const shown = /^[a-z.-]{1,40}$/.test(code) ? `no code ${JSON.stringify(code)}` : 'no such code'
    return misuse(io, `There is ${shown}.${meant}`, 'explain')
  }
  const { means, rows } = all[code]!
  const width = io.columns ?? WIDTH_ELSEWHERE
  const paint = paintFor(io, io.columns !== undefined)
  const labelled = (name: string, words: string): string =>
    wrap(`  ${name}: ${words}`, width, '    ').replace(name, paint('dim', name))
  const parts = rows.map(({ message, why, todo }) =>
    [
      ...(message === undefined ? [] : [wrap(`"${message}"`, width, '  ')]),
      labelled('Why', why),
      labelled('What to do', todo),
    ].join('\n'),
  )
  const head = wrap(`${code}: ${means}.`, width, '  ').replace(code, paint('bad', code))
  const source = `More: docs/troubleshooting.md#${parts.length === 0 ? 'events' : code}`
  return print(io, `${[head, ...parts, source].join('\n\n')}\n`)
}
