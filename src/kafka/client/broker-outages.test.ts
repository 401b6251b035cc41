import { expect, it } from 'vitest'
import type { Log } from '../../process/io.ts'
import { BrokerOutages } from './broker-outages.ts'

function made() {
  const clock = { ms: 0, now: () => clock.ms }
  const lines: { level: string; message: string; fields: object }[] = []
  const log: Log = async (level, message, fields = {}) => void lines.push({ level, message, fields })
  const brokers = new BrokerOutages({ brokerDeadlineMs: 900_000, clock, log })
  const pass = (ms: number): void => {
    for (const end = clock.ms + ms; clock.ms < end; brokers.look()) clock.ms += 500
  }
  const fail = (place: string): void => {
    brokers.eventsOf(place).began()
    brokers.eventsOf(place).failed({ words: 'connection refused', code: 'ECONNREFUSED' })
  }
  return { brokers, lines, pass, fail }
}

it('each broker is told by itself', () => {
  const { brokers, lines, pass, fail } = made()
  fail('a:9092')
  expect(brokers.isFailing).toBe(true)
  expect(brokers.down).toEqual([])
  brokers.eventsOf('b:9092').began()
  brokers.eventsOf('b:9092').answered()
  pass(3_000)
  expect(lines.map(({ message }) => message)).toEqual([
    'The Kafka broker at a:9092 is unavailable: connection refused (ECONNREFUSED). It is retried for up to 15 min (kafka.broker_deadline_seconds).',
  ])
  expect(brokers.down).toEqual([{ place: 'a:9092', since: 0, cause: 'connection refused' }])
  brokers.eventsOf('a:9092').began()
  brokers.eventsOf('a:9092').answered()
  expect(lines.at(-1)).toMatchObject({ level: 'info', fields: { host: 'a', port: 9092, retries: 1 } })
  expect(brokers.isFailing).toBe(false)
  expect(brokers.down).toEqual([])
})

it('one that nobody asks any more is forgotten', () => {
  const { brokers, lines, pass, fail } = made()
  fail('a:9092')
  pass(119_000)
  expect(brokers.down).toHaveLength(1)
  pass(1_000)
  expect(brokers.down).toEqual([])
  expect(brokers.isFailing).toBe(false)
  expect(lines).toHaveLength(1)
})
