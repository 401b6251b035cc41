// The broker that all test files on Kafka (by their paths) of one Vitest run share: set up before the first of them, and only
// when one of them was selected. Tells them where it is, or why there is none.

import type { TestProject } from 'vitest/node'
import { kafkaVersion } from '../tools/test-parts/kafka.ts'
import { startBroker } from './broker.ts'
import { findKafka } from './find-kafka.ts'
import { BROKER, giveLeave } from './leave.ts'

declare module 'vitest' {
  interface ProvidedContext {
    kafka: KafkaOfTests
  }
}

export interface KafkaOfTests {
  /** `host:port` of the shared broker, with commas between several. */
  readonly bootstrap?: string
  /** Whether tests can start brokers of their own. */
  readonly canStart: boolean
  /** Why something above is missing. */
  readonly reason?: string
  /** Tests that miss something are to fail; otherwise they are skipped. */
  readonly mustRun: boolean
}

/** Paths of test files that get a broker. */
export const BROKER_FILES =
  /\/integration_tests\/(?:(?:identity|kafka|promises|registry|stream)\/[^/]+|bench\/kafka)\.test\.ts$/

export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const selected = project.vitest.state.getPaths()
  if (!selected.some((path) => BROKER_FILES.test(path))) return undefined
  const { KAFKA_BROKERS, KAFKA_REQUIRED, CI } = process.env
  const mustRun = [KAFKA_REQUIRED, CI].some((value) => value && !['0', 'false'].includes(value))
  const kafka = await findKafka(kafkaVersion(process.env), process.env)
  const reason = 'reason' in kafka ? kafka.reason : undefined
  const found = { canStart: reason === undefined, mustRun, ...(reason === undefined ? {} : { reason }) }
  if (reason !== undefined && !mustRun) {
    const which = KAFKA_BROKERS ? 'Tests that start a Kafka broker of their own' : 'Tests on a Kafka broker'
    console.warn(`${which} are skipped: ${reason}`)
  }
  if (KAFKA_BROKERS) {
    project.provide('kafka', { ...found, bootstrap: KAFKA_BROKERS })
    return undefined
  }
  if (reason !== undefined) {
    project.provide('kafka', found)
    return undefined
  }
  try {
    using _leave = giveLeave(BROKER, process.env)
    const broker = await startBroker()
    project.provide('kafka', { ...found, bootstrap: broker.bootstrap })
    return () => broker[Symbol.asyncDispose]()
  } catch (error) {
    // the other files' tests need not suffer
    project.provide('kafka', { canStart: false, mustRun: true, reason: (error as Error).message })
    return undefined
  }
}
