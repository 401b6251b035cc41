// Reads kafkajs's log: some of what we need is nowhere else.

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

/** Lower levels may contain requests and their data. */
const { WARN, ERROR } = kafkajs.logLevel
/** Messages that repeat what we log ourselves. */
const KNOWN = [
  'Failed to connect to seed broker, trying another broker from the list',
  'The group is rebalancing, re-joining',
  'The coordinator is not aware of this member',
]
const PROBE = 'can this be heard?'

/** Passes on warnings and errors, without stacks and data. `check` throws a ConnectorError if the environment silences it. */
export function kafkajsLog(listener: LogListener) {
  let isHeard = false
  const creator: logCreator =
    () =>
    ({ level, log }) => {
      if (level > WARN) return
      // kafkajs logs some errors whole
      const { message } = (typeof log.message === 'string' ? log : log.message) as { readonly message: string }
      const error = typeof log['error'] === 'string' ? log['error'] : undefined
      if (level === ERROR && message.startsWith('Crash: ')) listener.crashed?.(message.replace(/^Crash: \w+: /, ''))
      else if (message.startsWith('Response ')) listener.brokerError?.(error ?? message)
      else if (message === PROBE) isHeard = true
      else if (!KNOWN.some((known) => message.startsWith(known)))
        listener.log?.(error === undefined ? message : `${message}: ${error}`)
    }
  const check = (log: Pick<Logger, 'namespace'>): void => {
    log.namespace('Probe').error(PROBE)
    if (isHeard) return
    const advice = 'it is how a client that ends is noticed. Unset KAFKAJS_LOG_LEVEL.'
    throw new ConnectorError(
      'config',
      'config.variable',
      `KAFKAJS_LOG_LEVEL silences the Kafka client's log, and ${advice}`,
    )
  }
  return { level: WARN, creator, check }
}
