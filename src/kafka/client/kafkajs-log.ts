// Reads kafkajs's log: that a client is about to give up, and which errors brokers answered with, is told nowhere else.

import kafkajs, { type logCreator, type Logger } from 'kafkajs'
import { ConnectorError } from '../../core/errors.ts'

export interface LogListener {
  /** The client is about to give up. Its CRASH event comes only after its connections are closed, which may take minutes. */
  crashed?(message: string): void
  /** A broker answered with an error; the text is kafkajs's. */
  brokerError?: ((error: string) => void) | undefined
  /** Anything else worth a line in our log. */
  log?: ((message: string) => void) | undefined
}

/** Levels that are read, WARN and above: lines below may contain requests and their data. */
const { WARN, ERROR } = kafkajs.logLevel
/** Beginnings of messages that are dropped, since they repeat what we log ourselves. */
const REPEATED = [
  'Failed to connect to seed broker, trying another broker from the list',
  'The group is rebalancing, re-joining',
  'The coordinator is not aware of this member',
]
/** A line that `check` logs, to see whether it comes back. */
const PROBE = 'can this be heard?'

/** Makes the log of one client, which passes on warnings and errors, without stacks and data. `check`, to be called with the logger of the
 *  client that was made, throws a ConnectorError if the environment silences it. */
export function kafkajsLog(listener: LogListener) {
  let isHeard = false
  const creator: logCreator =
    () =>
    ({ level, log }) => {
      if (level > WARN) return
      // kafkajs logs some errors as objects in the place of the message
      const { message } = (typeof log.message === 'string' ? log : log.message) as { readonly message: string }
      const error = typeof log['error'] === 'string' ? log['error'] : undefined
      if (level === ERROR && message.startsWith('Crash: ')) listener.crashed?.(message.replace(/^Crash: \w+: /, ''))
      else if (message.startsWith('Response ')) listener.brokerError?.(error ?? message)
      else if (message === PROBE) isHeard = true
      else if (!REPEATED.some((beginning) => message.startsWith(beginning)))
        listener.log?.(error === undefined ? message : `${message}: ${error}`)
    }
  const check = (log: Pick<Logger, 'namespace'>): void => {
    log.namespace('Probe').error(PROBE)
    if (isHeard) return
    const reason = 'it is how a client that ends is noticed'
    const message = `KAFKAJS_LOG_LEVEL silences the Kafka client's log, and ${reason}. Unset KAFKAJS_LOG_LEVEL.`
    throw new ConnectorError('config', 'config.variable', message)
  }
  return { level: WARN, creator, check }
}
