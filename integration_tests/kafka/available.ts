// How test files ask for a Kafka broker. `describeKafka`: the one all files share; `describeOwnKafka`: tests that start,
// kill and restart some of their own, and nothing else lets them; `describeParts`: what needs other test parts beside. Where
// something is missing the tests are skipped, or fail where they must run.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { startBroker } from './broker.ts'
import type { StartBroker } from './broker.ts'
import { BROKER, giveLeave } from './leave.ts'
import type { Leave } from './leave.ts'
import type { KafkaOfTests } from './shared-broker.ts'

/** @param define gets `host:port`, with commas between several. Topics and groups there may be others': `uniqueName`. */
export function describeKafka(title: string, define: (bootstrap: string) => void): void {
  const { bootstrap, ...found } = kafkaOfTests()
  if (bootstrap === undefined) refuse(found)
  describe.skipIf(bootstrap === undefined)(title, () => define(bootstrap ?? ''))
}

/** For tests that start brokers. @param define gets what starts one, as long as these tests run */
export function describeOwnKafka(title: string, define: (startBroker: StartBroker) => void): void {
  const found = kafkaOfTests()
  if (!found.canStart) refuse(found)
  describe.skipIf(!found.canStart)(title, () => {
    leaveWithin(BROKER)
    define(startBroker)
  })
}

/** To be called first in a describe: its hooks and tests have the leave, and nobody else. */
export function leaveWithin(leave: Leave): void {
  let given: Disposable | undefined
  beforeAll(() => {
    given = giveLeave(leave, process.env)
  })
  afterAll(() => given?.[Symbol.dispose]())
}

/** Within one of the others, for tests that need more. @param parts what was found of it, or why it was not */
export function describeParts(
  title: string,
  parts: readonly (object | { readonly reason: string })[],
  define: () => void,
): void {
  const missing = parts.find((part): part is { readonly reason: string } => 'reason' in part)
  if (missing === undefined) return define()
  if (kafkaOfTests().mustRun) throw new Error(`These tests (${title}) are not to be skipped: ${missing.reason}`)
  console.warn(`Tests are skipped (${title}): ${missing.reason}`)
  describe.skip(title, define)
}

/** A name for a topic or a group that nobody else has. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`
}

function kafkaOfTests(): KafkaOfTests {
  const found = inject('kafka') as KafkaOfTests | undefined
  if (found !== undefined) return found
  throw new Error('Only files of integration_tests named as BROKER_FILES says get a Kafka broker.')
}

function refuse({ mustRun, reason }: KafkaOfTests): void {
  if (mustRun) throw new Error(`These tests need a Kafka broker and are not to be skipped: ${reason}`)
}
