// What a rejected record of Kafka comes to under each policy, in words and in what is kept.

import { assert, property } from 'fast-check'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StreamRejectsConfig } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { RejectBudgets } from '../../rejects/reject-budget.ts'
import { failureOf } from '../../core/testing/failure.ts'
import type { Rejected } from '../../core/types.ts'
import type { DeadLetter } from '../dead-letters/dead-letter.ts'
import { fromLine } from '../dead-letters/letter-line.ts'
import { anyLetter, letterOf } from '../dead-letters/testing/letters.ts'
import { deadLetterPolicy, type DeadLetterPolicy } from './dead-letter-policy.ts'
import { heldBy, kafkaTrack, originOf, recordOf, type KafkaOrigin, type KeptRecord } from './kafka-origin.ts'
import { ownFolder } from '../../process/testing/own-folder.ts'

const SECRET = 'k/é+&='
const scrub = (text: string): string =>
  text.replaceAll(SECRET, '******').replaceAll(encodeURIComponent(SECRET), '******')
const STOP: StreamRejectsConfig = { onRejected: 'stop', topic: undefined, file: undefined, logKeys: false }
const TO_TOPIC: StreamRejectsConfig = { ...STOP, onRejected: 'dead-letter', topic: 'letters' }
const { signal } = new AbortController()
const letter = letterOf({})
const table = { name: 'orders', keepLast: true }

const folder = ownFolder('file')

const refused = (over: Partial<Rejected<KafkaOrigin>> = {}): Rejected<KafkaOrigin> => ({
  track: kafkaTrack('orders', 3),
  table,
  reason: 'amount is too large.',
  origin: originOf(letter.record, true),
  key: 5,
  superseded: 0,
  supersededAt: [],
  ...over,
})

interface Opened extends AsyncDisposable {
  readonly policy: DeadLetterPolicy
  readonly said: string[]
  readonly sent: DeadLetter[]
  readonly put: (rejected: Rejected<KafkaOrigin>) => Promise<unknown>
}

async function under(config: StreamRejectsConfig, failing?: ConnectorError): Promise<Opened> {
  const [said, sent]: [string[], DeadLetter[]] = [[], []]
  const budgets = new RejectBudgets<string>(
    { maxRejected: 100, maxRejectedShare: 1 },
    () => undefined,
    () => 1000,
  )
  const policy = await deadLetterPolicy(config, {
    scrub,
    take: (topic) => budgets.take(topic),
    wallClock: () => Date.UTC(2026, 10, 21),
    log: async (level, message) => {
      said.push(`${level} ${message}`)
    },
    openTopic: async (topic, failed) => ({
      send: async (letter) => {
        expect(topic).toBe('letters')
        if (failing) {
          failed()
          throw failing
        }
        sent.push(letter)
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  })
  const put = (rejected: Rejected<KafkaOrigin>) => policy.rejects.put(rejected, signal)
  return { policy, said, sent, put, [Symbol.asyncDispose]: () => policy[Symbol.asyncDispose]() }
}

describe('the policy stop', () => {
  it('ends the run with topic, partition, offset, table, reason and the ways out', async () => {
    await using stop = await under(STOP)
    const { policy } = stop
    expect([policy.rejects.overlaps, policy.place]).toEqual([false, undefined])
    const error = await failureOf(stop.put(refused({ origin: 12n, superseded: 2 })))
    expect(error.kind).toBe('config')
    expect(error.track).toEqual({ name: 'orders' })
    expect(error.message).toBe(
      'A record of topic "orders", partition 3, offset 12, table "orders", cannot be stored: amount is too large. ' +
        'It replaced 2 older versions of its row, not stored either. Nothing after it is committed in its partition. ' +
        'Correct the options of the topic or its producer, or set dead_letters to a topic or a file to keep such records aside, and run again: the next run continues from the committed offsets.',
    )
  })

  it('shows a key only when that is wanted', async () => {
    await using stop = await under({ ...STOP, logKeys: true })
    expect((await failureOf(stop.put(refused({ origin: 12n })))).message).toContain(
      'table "orders", with the key 5, can',
    )
  })
})

describe('the policy dead-letter, to a topic', () => {
  it('sends the record as it was read, tells the first of a topic, and counts', async () => {
    await using to = await under(TO_TOPIC)
    expect([to.policy.rejects.overlaps, to.policy.place]).toEqual([true, 'the topic "letters"'])
    const { key: _, ...unsent } = refused({ reason: 'the value is no JSON' })
    await to.put(refused({ superseded: 1 }))
    await to.put(unsent)
    await to.put({ ...unsent, track: kafkaTrack('users', 0) })
    const no = { reason: 'rejected', error: 'the value is no JSON' }
    expect(to.sent).toEqual([
      { ...letter, superseded: 1 },
      { ...letter, ...no },
      { ...letter, ...no, topic: 'users', partition: 0 },
    ])
    const { counts } = to.policy
    expect([counts.keptOf('orders'), counts.keptOf('users')]).toEqual([
      { rejected: 1, refused: 1 },
      { rejected: 1, refused: 0 },
    ])
    expect(counts.all.map(({ records, first }) => [records, first])).toEqual([
      [2, 'topic "orders", partition 3, offset 9007199254740993'],
      [1, 'topic "orders", partition 3, offset 9007199254740993'],
      [1, 'topic "users", partition 0, offset 9007199254740993'],
    ])
    expect(to.said).toEqual([
      'warn A record of topic "orders", partition 3, offset 9007199254740993, table "orders", cannot be stored: amount is too large. It goes to the topic "letters", as do further ones of its topic.',
      'warn A record of topic "users", partition 0, offset 9007199254740993, table "orders", cannot be stored: the value is no JSON. It goes to the topic "letters", as do further ones of its topic.',
    ])
  })

  it('says where older versions of its row were first read, of which it keeps no more than that', async () => {
    await using to = await under(TO_TOPIC)
    const [own, replayed] = [undefined, { topic: 'first', partition: 9 }].map((from) => {
      const whole = originOf({ ...letter.record, value: Buffer.alloc(10_000), headers: [['h', null]] }, true, from)
      const place = to.policy.rejects.placeOf(whole)!
      expect(heldBy(place)).toBeLessThan(256)
      return place
    })
    const supersededAt = [
      { track: kafkaTrack('orders', 2), origin: own! },
      { track: kafkaTrack('letters', 0), origin: replayed! },
    ]
    await to.put(refused({ superseded: 2, supersededAt }))
    const { offset } = letter.record
    const places = [
      { topic: 'orders', partition: 2, offset },
      { topic: 'first', partition: 9, offset },
    ]
    expect(to.sent).toEqual([{ ...letter, superseded: 2, supersededAt: places }])
  })

  it('keeps the first origin of a letter that is replayed', async () => {
    await using to = await under(TO_TOPIC)
    const origin = originOf(letter.record, true, { topic: 'orders', partition: 3 })
    await to.put(refused({ origin, track: kafkaTrack('letters', 0) }))
    expect(to.sent).toEqual([letter])
  })

  it('refuses to send a record to where it was read', async () => {
    await using to = await under(TO_TOPIC)
    const error = await failureOf(to.put(refused({ track: kafkaTrack('letters', 0) })))
    expect(error.kind).toBe('config')
    expect(error.message).toContain(
      'It was read from the topic "letters" of dead letters, and would be read from there again',
    )
    expect(to.sent).toEqual([])
  })

  it('passes on that a letter could not be kept, and counts it as none that is', async () => {
    const failing = new ConnectorError('config', 'program.fault', 'too large')
    await using to = await under(TO_TOPIC, failing)
    expect(await failureOf(to.put(refused()))).toBe(failing)
    expect([to.policy.counts.keptOf('orders').refused, to.said]).toEqual([0, []])
  })

  it.each([
    [
      'no at https://import.example.com/v2/client/7/table/orders/data?apikey=k%2F%C3%A9%2B%26%3D: bad',
      'no at [address] bad',
    ],
    [
      '{"url":"https:\\/\\/import.example.com\\/v2?apikey=1","message":"bad amount"}',
      '{"url":"[address]","message":"bad amount"}',
    ],
    ['POST /v2/client/7/table/orders/data failed', 'POST [address] failed'],
    ['redirect=https%3A%2F%2Fimport.example.com%2Fx', '[address]'],
    ['see apikey%253D7 there', 'see [address] there'],
    [`a key of ${SECRET} is wrong.  `, 'a key of ****** is wrong'],
    ['ratio 3/4: 5 // 6', 'ratio 3/4: 5 // 6'],
  ])('never tells an address or a secret: %s', async (reason, error) => {
    await using to = await under(TO_TOPIC)
    await to.put(refused({ reason }))
    expect(to.sent[0]?.error).toBe(error)
    expect(to.said[0]).toContain(`cannot be stored: ${error}. It goes`)
  })

  it('tells at most 500 characters, quickly', async () => {
    await using to = await under(TO_TOPIC)
    await to.put(refused({ reason: 'x'.repeat(1_000_000) }))
    expect(to.sent[0]?.error).toHaveLength(500)
  })
})

describe('the policy dead-letter, to a file', () => {
  it('keeps any record as a line, byte for byte', async () => {
    const file = join(folder, 'letters.jsonl')
    await using to = await under({ ...STOP, onRejected: 'dead-letter', file })
    expect(to.policy.place).toBe(`the file "${file}"`)
    await Promise.all([to.put(refused()), to.put(refused({ superseded: 3 }))])
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => fromLine(Buffer.from(line)))).toEqual([letter, { ...letter, superseded: 3 }])
    expect(JSON.parse(lines[0]!)).toMatchObject({ rejected_at: '2026-11-21T00:00:00.000Z' })
  })

  it('names its option when the file cannot be written', async () => {
    const file = join(folder, 'no-such-folder', 'letters.jsonl')
    const error = await failureOf(under({ ...STOP, onRejected: 'dead-letter', file }))
    expect(error.message).toContain(`The file "${file}" of dead_letters.file cannot be appended to`)
    expect(error.message).toContain('set dead_letters.topic instead')
  })
})

describe('the origin of a record of Kafka', () => {
  it('is the record, whatever is in it, and says what it costs', () => {
    assert(
      property(anyLetter, ({ record }) => {
        const origin = originOf(record, true) as KeptRecord
        expect(recordOf(origin)).toEqual(record)
        const bytes = (record.key?.length ?? 0) + (record.value?.length ?? 0)
        expect(heldBy(origin)).toBeGreaterThan(bytes)
      }),
    )
  })

  it('is the offset alone where nothing is kept', () => {
    expect(originOf(letter.record, false)).toBe(9_007_199_254_740_993n)
    expect(heldBy(12n)).toBeLessThan(100)
  })

  it('is a copy: what was fetched may go', () => {
    const fetched = Buffer.from('key value')
    const record = { ...letter.record, key: fetched.subarray(0, 3), value: fetched.subarray(4) }
    const origin = originOf(record, true) as KeptRecord
    fetched.fill(0)
    expect(recordOf(origin)).toMatchObject({ key: Buffer.from('key'), value: Buffer.from('value') })
  })
})
