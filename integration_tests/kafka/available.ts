// How test files ask for a Kafka broker. `describeKafka`: the one all files share; `describeOwnKafka`: tests that start,
// kill and restart some of their own, and nothing else lets them; `describeParts`: what needs other test parts beside. Where
// something is missing the tests are skipped, or fail where they must run.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { startBroker, type StartBroker } from './broker.ts'
import { BROKER, giveLeave, type Leave } from './leave.ts'
import type { KafkaOfTests } from './shared-broker.ts'
import type { Need } from '../tools/results/needs.ts'

const NEEDED: Need = 'a Kafka broker'

/** @param define gets `host:port`, with commas between several. Topics and groups there may be others': `uniqueName`. */
export function describeKafka(title: string, define: (bootstrap: string) => void): void {
  const { bootstrap, ...found } = kafkaOfTests()
  if (bootstrap !== undefined) return void describe(title, () => define(bootstrap))
  refuse(found)
  describe.skip(title, { meta: { needs: NEEDED } }, () => define(''))
}

/** For tests that start brokers. @param define gets what starts one, as long as these tests run */
export function describeOwnKafka(title: string, define: (startBroker: StartBroker) => void): void {
  const found = kafkaOfTests()
  const tests = (): void => {
    leaveWithin(BROKER)
    define(startBroker)
  }
  if (found.canStart) return void describe(title, tests)
  refuse(found)
  describe.skip(title, { meta: { needs: NEEDED } }, tests)
}

/** To be called first in a describe: its hooks and tests have the leave, and nobody else. */
export function leaveWithin(leave: Leave): void {
  let given: Disposable | undefined
  beforeAll(() => {
    given = giveLeave(leave, process.env)
  })
  afterAll(() => given?.[Symbol.dispose]())
}

/** What was found of each, or why it was not. */
export type Parts = Readonly<Partial<Record<Need, object | Missing>>>

interface Missing {
  readonly reason: string
}

/** Within one of the others, for tests that need more. */
export function describeParts(title: string, parts: Parts, define: () => void): void {
  for (const [needs, part] of Object.entries(parts)) {
    if (!hasReason(part)) continue
    if (kafkaOfTests().mustRun) throw new Error(`These tests (${title}) are not to be skipped: ${part.reason}`)
    console.warn(`Tests are skipped (${title}): ${part.reason}`)
    return void describe.skip(title, { meta: { needs: needs as Need } }, define)
  }
  define()
}

function hasReason(part: object): part is Missing {
  return 'reason' in part
}

/** A name for a topic or a group that nobody else has. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`
}

function kafkaOfTests(): KafkaOfTests {
  const found = inject('kafka') as KafkaOfTests | undefined
  if (found !== undefined) return found
  throw new Error('Only test files in the folders that BROKER_FILES names get a Kafka broker.')
}

function refuse({ mustRun, reason }: KafkaOfTests): void {
  if (mustRun) throw new Error(`These tests need a Kafka broker and are not to be skipped: ${reason}`)
}
