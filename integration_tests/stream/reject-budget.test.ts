// A replay has no share that may be rejected, since all its letters were: promises/budget.test.ts gives it one.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { describeStream } from './driver.ts'
import { lastFigures } from './stream-process.ts'

const PARTITIONS = [0, 1]
const EACH = 6_000

describeStream('stream', (driver) => {
  let topic = ''
  beforeAll(async () => {
    topic = await driver.topic(PARTITIONS.length)
    for (const partition of PARTITIONS) {
      await driver.client.produce(topic, [{ value: `{"id":${partition}}`, partition }])
      // the key field has another name
      const wrong = Array.from({ length: EACH }, (_, at) => ({ value: `{"ID":${at},"x":"CANARY"}`, partition }))
      await driver.client.produce(topic, wrong)
    }
  })

  const lettersIn = async (file: string): Promise<number> => (await readFile(file, 'utf8')).split('\n').length - 1
  const given = (file: string, config: object = {}) => ({
    group: uniqueName('group'),
    topics: [{ topic, keys: ['id'] }],
    config: { dead_letters: { file }, ...config },
  })

  it('replays as many as there are', async () => {
    const file = join(driver.work.path, 'all.jsonl')
    const all = given(file, { max_rejected_share: 1 })
    {
      await using process = await driver.start(all)
      await driver.committedAre(
        all.group,
        topic,
        PARTITIONS.map(() => BigInt(EACH + 1)),
        process,
      )
      await driver.stop(process)
    }
    const letters = PARTITIONS.length * EACH
    expect(await lettersIn(file)).toBe(letters)
    {
      await using replay = await driver.start({ ...all, config: { dead_letters: { file } } }, '--from-dead-letters')
      const ended = await driver.endOf(replay)
      expect([ended.code, lastFigures(ended)], replay.toString()).toMatchObject([0, { rejected: letters }])
    }
  })
})
