// The table of docs/guarantees.md: each promise, and the test that holds it at each door.

import { DOORS, PROMISES, type DoorName, type Promised } from '../integration_tests/promises/promises.ts'
import { markdownTable, marksOf, renewedBetween } from './between-marks.ts'

/** What keeps a promise at a door: a file below integration_tests, or why there is none. */
export type Keeper = { readonly test: string } | { readonly none: string }

export function keeperOf(name: string, { elsewhere, except }: Promised, door: DoorName): Keeper {
  const none = except?.[door]
  return none === undefined ? { test: elsewhere?.[door] ?? `promises/${name}.test.ts` } : { none }
}

/** @throws when the page has lost the marks of the table */
export function renewedPromises(page: string): string {
  const rows = Object.entries<Promised>(PROMISES).map(([name, promised]) => {
    const cells = DOORS.map((door) => {
      const keeper = keeperOf(name, promised, door)
      return 'none' in keeper ? `— ${keeper.none}` : `[test](../integration_tests/${keeper.test})`
    })
    return [promised.words].concat(cells)
  })
  return renewedBetween(
    page,
    marksOf('promises'),
    markdownTable(['promise', 'Airbyte (`write`)', 'Kafka (`stream`)', 'replay (`--from-dead-letters`)'], rows),
  )
}
