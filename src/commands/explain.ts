// `explain`: what the docs say of a code, where they are not at hand.

import { packageFile } from '../files/package-file.ts'
import { parseJson } from '../json/true-names.ts'
import type { Ended, Io } from '../process/io.ts'
import { paintFor } from '../process/paint.ts'
import { print } from '../process/print.ts'
import { didYouMean } from '../text/nearest-name.ts'
import { wrap } from '../text/printable.ts'
import { misuse } from './help/render-help.ts'

/** A code, with its rows of docs/troubleshooting.md (spec/codes-reference.ts). */
interface Explanation {
  readonly means: string
  /** `message` as it is said, `…` for what varies; absent when the row is of the code alone. */
  readonly rows: readonly { readonly message?: string; readonly why: string; readonly todo: string }[]
}

/** @param given a code, with or without the brackets that stand around it in texts
 *  @returns 0; 2, after a message, where there is no such code */
export async function explain(given: string, io: Io): Promise<Ended> {
  // from src/commands and dist/commands alike
  const all = parseJson(packageFile('../../spec/codes.json', import.meta.url).toString()) as Record<string, Explanation>
  const code = given.trim().replace(/^\[(.*)\]$/, '$1')
  if (!Object.hasOwn(all, code)) {
    const meant = didYouMean(code, Object.keys(all)) || ' docs/troubleshooting.md#codes lists them.'
    const shown = /^[a-z.-]{1,40}$/.test(code) ? `no code ${JSON.stringify(code)}` : 'no such code'
    return misuse(io, `There is ${shown}.${meant}`, 'explain')
  }
  const { means, rows } = all[code]!
  const width = io.columns ?? 100
  const paint = paintFor(io, io.columns !== undefined)
  const lines = (name: string, words: string): string =>
    wrap(`  ${name}: ${words}`, width, '    ').replace(name, paint('dim', name))
  const parts = rows.map(({ message, why, todo }) =>
    [
      ...(message === undefined ? [] : [wrap(`"${message}"`, width, '  ')]),
      lines('Why', why),
      lines('What to do', todo),
    ].join('\n'),
  )
  const head = wrap(`${code}: ${means}.`, width, '  ').replace(code, paint('bad', code))
  return print(io, `${[head, ...parts, `More: docs/troubleshooting.md#${code}`].join('\n\n')}\n`)
}
