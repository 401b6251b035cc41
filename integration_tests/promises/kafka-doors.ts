// `stream` on a real broker: a topic that goes on for ever, and a replay of the dead letters of one, which ends.

import { expect } from 'vitest'
import { replayGroup } from '../../src/kafka/dead-letters/dead-letter-replay.ts'
import { toMessage } from '../../src/kafka/dead-letters/dead-letter.ts'
import { letterOf } from '../../src/kafka/dead-letters/testing/letters.ts'
import { start, workFolder } from '../connector.ts'
import { uniqueName } from '../kafka/available.ts'
import { KafkaClient, type NewRecord } from '../kafka/client.ts'
import { KEY, PARTITIONS, Running, TABLE, type Door, type Entrance, type Plan } from './door.ts'

/** @param bootstrap `host:port`, or several with commas between */
export function kafkaDoor(bootstrap: string): Door {
  return { name: 'Kafka', open: (plan) => open(bootstrap, plan, false) }
}

export function replayDoor(bootstrap: string): Door {
  return { name: 'Replay', open: (plan) => open(bootstrap, plan, true) }
}

async function open(bootstrap: string, plan: Plan, isReplay: boolean): Promise<Entrance> {
  await using stack = new AsyncDisposableStack()
  const { records, keepsRejects, config } = plan
  const work = stack.use(await workFolder())
  const client = stack.use(await KafkaClient.connect(bootstrap))
  const [topic, letters, group] = [uniqueName('promises'), uniqueName('letters'), uniqueName('group')]
  for (const name of [topic, letters]) await client.createTopic(name, PARTITIONS)
  const sent = records.map(({ id, data }, at): NewRecord => {
    const value = Buffer.from(data)
    const partition = id % PARTITIONS
    if (!isReplay) return { partition, key: `${id}`, value }
    const letter = toMessage(letterOf({ topic, partition, offset: BigInt(at), key: Buffer.from(`${id}`), value }))
    return {
      partition,
      key: letter.key,
      value: letter.value,
      headers: letter.headers as NonNullable<NewRecord['headers']>,
    }
  })
  const readTopic = isReplay ? letters : topic
  await client.produce(readTopic, sent, { gzip: true })
  const readGroup = isReplay ? replayGroup(group) : group
  const places = [...Array(PARTITIONS).keys()].map((of) =>
    [...records.keys()].filter((at) => records[at]!.id % PARTITIONS === of),
  )
  const configFile = await work.file('config.json', {
    import_url: plan.url,
    client_id: 7,
    api_key: { file: await work.file('api-key', KEY) },
    kafka: {
      brokers: bootstrap.split(','),
      group,
      session_timeout_seconds: 6,
      rebalance_timeout_seconds: 12,
      heartbeat_seconds: 1,
    },
    topics: [{ topic, keys: ['id'], table: TABLE }],
    commit_every_seconds: 1,
    ...(isReplay || keepsRejects ? { dead_letters: { topic: letters } } : {}),
    ...config,
  })
  const covered = async (): Promise<number[]> => {
    const offsets = await client.committed(readGroup, readTopic)
    return places.flatMap((of, partition) => of.slice(0, Number(offsets[partition] ?? 0n)))
  }
  const disposed = stack.move()
  return {
    folder: work.path,
    place: /partition \d, offset \d+/,
    start(...args) {
      const more = isReplay ? ['--from-dead-letters', ...args] : args
      const running = new Running(start(['stream', '--config', configFile, ...more]))
      running.child.stdin!.end()
      return Promise.resolve(running)
    },
    covered,
    async finish(running) {
      if (!isReplay)
        await running.until(
          async () => (await covered()).length === records.length || !running.isAlive,
          'not all is committed',
        )
      const code = isReplay ? await running.ended : await running.end('SIGTERM')
      expect(code, running.toString()).toBe(isReplay ? 0 : 143)
      expect((await covered()).length, running.toString()).toBe(records.length)
      return isReplay ? 'done' : 'stopped'
    },
    async rejects() {
      const kept = await client.read(letters)
      // in a replay the letters that were there at first lie before them
      const rejected = isReplay
        ? withoutFirst(
            kept,
            places.map(({ length }) => length),
          )
        : kept
      return rejected.map(({ value }) => JSON.stringify(JSON.parse(String(value))))
    },
    [Symbol.asyncDispose]: () => disposed[Symbol.asyncDispose](),
  }
}

function withoutFirst<T extends { readonly partition: number; readonly offset: bigint }>(
  all: readonly T[],
  counts: readonly number[],
): T[] {
  return all.filter(({ partition, offset }) => offset >= BigInt(counts[partition]!))
}
