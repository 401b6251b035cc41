// Reads kafkajs's log, because nothing else says that a client is about to give up, and which errors brokers answered with.

import kafkajs, { type logCreator, type Logger } from 'kafkajs'
import { ConnectorError } from '../../core/errors.ts'

export interface LogListener {
  /** Told that the client is about to give up. Its CRASH event comes only after its connections are closed, which may take minutes. */
  crashed?(message: string): void
  /** Told that a broker answered with an error, in kafkajs's words. */
  brokerError?: ((error: string) => void) | undefined
  /** Told of anything else that is worth a line in our log. */
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

/** Makes the log of one client, which passes on warnings and errors, without stacks and data. `level` and `creator` are for kafkajs's
 *  options. `check` is to be called with the client's logger: it throws a ConnectorError if the environment silences the log. */
export function kafkajsLog(listener: LogListener) {
  let isProbeHeard = false
  const creator: logCreator =
    () =>
    ({ level, log }) => {
      if (level > WARN) return
      // kafkajs logs some errors as objects in the place of the message
      const { message } = (typeof log.message === 'string' ? log : log.message) as { readonly message: string }
      const error = typeof log['error'] === 'string' ? log['error'] : undefined
      // "Crash: KafkaJSConnectionError: Connection timeout", "Response Metadata(key: 3, version: 6)"
      if (level === ERROR && message.startsWith('Crash: ')) listener.crashed?.(message.replace(/^Crash: \w+: /, ''))
      else if (message.startsWith('Response ')) listener.brokerError?.(error ?? message)
      else if (message === PROBE) isProbeHeard = true
      else if (!REPEATED.some((beginning) => message.startsWith(beginning)))
        listener.log?.(error === undefined ? message : `${message}: ${error}`)
    }
  const check = (log: Pick<Logger, 'namespace'>): void => {
    log.namespace('Probe').error(PROBE)
    if (isProbeHeard) return
    const reason = 'it is how a client that ends is noticed'
    const message = `KAFKAJS_LOG_LEVEL silences the Kafka client's log, and ${reason}. Unset KAFKAJS_LOG_LEVEL.`
    throw new ConnectorError('config', 'config.variable', message)
  }
  return { level: WARN, creator, check }
}
