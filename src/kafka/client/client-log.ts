// kafkajs's own log, listened to: some of what is needed stands nowhere else.

import kafkajs, { type logCreator, type Logger, type logLevel } from 'kafkajs'
import { ConnectorError } from '../../core/errors.ts'

export interface LogListener {
  /** kafkajs is about to jump to another offset, and to forget where it was. Synchronous: what is thrown here keeps it
   *  from both. */
  outOfRange?(topic: string, partition: number): void
  /** The client is about to give up; CRASH comes only after its connections are closed, which may take minutes. */
  crashed?(message: string): void
  /** A broker answered with an error, in kafkajs's words. */
  brokerError?: ((error: string) => void) | undefined
  /** Worth a line in our log. */
  log?: ((message: string) => void) | undefined
}

export interface KafkajsLog {
  readonly level: logLevel
  readonly creator: logCreator
  /** @throws ConnectorError when the environment has silenced the log of the client made with it */
  check(log: Pick<Logger, 'namespace'>): void
}

/** Levels of kafkajs: error, warn. What is below may hold requests and their data. */
const { WARN, ERROR } = kafkajs.logLevel
const OUT_OF_RANGE = 'Offset out of range, resetting to default offset'
/** Logged in other words, or for the second time at once. */
const KNOWN = [
  'Failed to connect to seed broker, trying another broker from the list',
  'The group is rebalancing, re-joining',
  'The coordinator is not aware of this member',
]
const PROBE = 'can this be heard?'

/** Hands on warnings and errors, without their stacks and data. */
export function kafkajsLog(listener: LogListener): KafkajsLog {
  let isHeard = false
  const creator: logCreator =
    () =>
    ({ level, log }) => {
      if (level > WARN) return
      const { message } = log
      const error = typeof log['error'] === 'string' ? log['error'] : undefined
      if (message === OUT_OF_RANGE) listener.outOfRange?.(String(log['topic']), Number(log['partition']))
      else if (level === ERROR && message.startsWith('Crash: '))
        listener.crashed?.(message.replace(/^Crash: \w+: /, ''))
      else if (message.startsWith('Response ')) listener.brokerError?.(error ?? message)
      else if (message === PROBE) isHeard = true
      else if (!KNOWN.some((known) => message.startsWith(known)))
        listener.log?.(error === undefined ? message : `${message}: ${error}`)
    }
  const check = (log: Pick<Logger, 'namespace'>): void => {
    log.namespace('Probe').error(PROBE)
    if (isHeard) return
    const advice = 'it is how a lost offset is noticed. Unset KAFKAJS_LOG_LEVEL.'
    throw new ConnectorError('config', `KAFKAJS_LOG_LEVEL silences the Kafka client's log, and ${advice}`)
  }
  return { level: WARN, creator, check }
}
