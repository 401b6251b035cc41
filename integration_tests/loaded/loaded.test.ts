// A command loads no more of the program than docs/DESIGN.md says: what it does not need stays behind a lazy import.

import { expect, it } from 'vitest'
import { readLoaded } from '../../spec/loaded.ts'
import { countLoaded, loadedFiles } from './measure.ts'

/** Beyond the figures that were measured last; then `npm run figures -- loaded` measures them anew, which a reviewer sees. */
const MOST = 1.03

it('each command loads at most 3 % more modules and lines than DESIGN.md says', async () => {
  const files = await loadedFiles()
  const measured = countLoaded(files)
  const bars = readLoaded()
  expect(Object.keys(measured)).toEqual(Object.keys(bars))
  const beyond = Object.entries(measured).filter(
    ([command, { modules, lines }]) => modules > bars[command]!.modules * MOST || lines > bars[command]!.lines * MOST,
  )
  expect(beyond, 'Beyond the bar: load it lazily, or measure anew by `npm run figures -- loaded`.').toEqual([])
  // what is measured is the program: each command has its own part of it
  expect(measured['spec']!.modules).toBeGreaterThan(5)
  expect(measured['write']!.modules).toBeGreaterThan(measured['spec']!.modules)
  expect(measured['write --dry-run']!.modules).toBeGreaterThan(measured['write']!.modules)
  expect(measured['stream']!.lines).toBeGreaterThan(measured['write']!.lines)
  // none of them logs in by tokens that are fetched
  expect(files['stream']!.filter((file) => file.includes('/kafka/source/open-logins'))).toHaveLength(1)
  const unwanted = /\/src\/(?:identity\/|kafka\/source\/fetch-tokens)/
  expect(
    Object.values(files)
      .flat()
      .filter((file) => unwanted.test(file)),
  ).toEqual([])
})
