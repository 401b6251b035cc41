// Lines of kafkajs's log, as kafkajs writes them.

import kafkajs from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { kafkajsLog } from './kafkajs-log.ts'

function make() {
  const heard: string[] = []
  const log = kafkajsLog({
    crashed: (message) => void heard.push(`crashed ${message}`),
    brokerError: (error) => void heard.push(`answered ${error}`),
    log: (message) => void heard.push(`said ${message}`),
  })
  const client = new kafkajs.Kafka({ brokers: ['none:1'], logLevel: log.level, logCreator: log.creator })
  return { heard, log, logger: client.logger().namespace('Test') }
}

describe('kafkajsLog', () => {
  it('hears what is said nowhere else', () => {
    const { heard, logger } = make()
    logger.error('Crash: KafkaJSError: no broker', { stack: 'secret' })
    logger.error('Response Heartbeat(key: 12, version: 3)', { error: 'not known', correlationId: 3 })
    expect(heard).toEqual(['crashed no broker', 'answered not known'])
  })

  it('hands on warnings and errors without what else stands in them', () => {
    const { heard, logger } = make()
    logger.warn('something', { topicPartitions: ['data'], stack: 'at home' })
    logger.error('something else', { error: 'why', payload: 'data' })
    logger.error('an object for an error', { error: { data: 1 } })
    expect(heard).toEqual(['said something', 'said something else: why', 'said an object for an error'])
  })

  it('says nothing of what is told in other words, nor of what may hold data', () => {
    const { heard, logger } = make()
    logger.warn('The group is rebalancing, re-joining', { error: 'x' })
    logger.error('The coordinator is not aware of this member, re-joining the group')
    logger.info('Consumer has joined the group')
    logger.setLogLevel(kafkajs.logLevel.DEBUG)
    logger.debug('Response Fetch', { data: 'data' })
    expect(heard).toEqual([])
  })

  it('finds out whether the environment has silenced it', () => {
    const { heard, log, logger } = make()
    log.check(logger)
    expect(heard).toEqual([])
    const silenced = make()
    process.env['KAFKAJS_LOG_LEVEL'] = 'NOTHING'
    try {
      expect(() => silenced.log.check(silenced.logger)).toThrow(/KAFKAJS_LOG_LEVEL/)
    } finally {
      delete process.env['KAFKAJS_LOG_LEVEL']
    }
  })
})
