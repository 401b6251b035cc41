// How tests ask for the second Node: skipped where it is not, unless they must run.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import type { Need } from '../results/needs.ts'

export const NODE_26 = fileURLToPath(new URL('../../../node_modules/node26/bin/node', import.meta.url))

const NEEDED: Need = 'Node 26'

/** To be called first. @param node that the test runs on: another needs nothing */
export function needNode26({ skip, task }: TestContext, node = NODE_26): void {
  if (node !== NODE_26 || existsSync(NODE_26)) return
  const { KAFKA_REQUIRED, CI } = process.env
  if ([KAFKA_REQUIRED, CI].some((value) => value && !['0', 'false'].includes(value)))
    throw new Error('Node 26 is not there, and this is not to be skipped: npm run fetch:test-parts')
  task.meta.needs = NEEDED
  skip('Node 26 is not there: npm run fetch:test-parts')
}
