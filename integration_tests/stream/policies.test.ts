// What `stream` does, as a process on a real broker, with records that cannot be stored and those the service refuses;
// and dead letters replayed.

import { expect, it } from 'vitest'
import { uniqueName } from '../kafka/available.ts'
import { keepsSecrets, KEY, describeStream, tableOf } from './driver.ts'

const parsed = (rows: readonly string[]): unknown[] => rows.map((row) => JSON.parse(row) as unknown)

describeStream('stream', (driver) => {
  it('keeps dead letters in a topic byte for byte, and replays them from there', async () => {
    const group = uniqueName('group')
    const letters = await driver.topic(2)
    const binary = Buffer.from([0xff, 0x00, 0xfe, 0x0a])
    const headers = [
      ['trace', 'a'],
      ['trace', binary],
      ['dlq.reason', 'mine'],
    ] as const
    const large = `{"id":9,"text":"${'x'.repeat(450_000)}"}`
    const topic = await driver.filled([
      { value: '{"id":1}' },
      { key: binary, value: '{"other":1}', headers },
      { value: large },
      { value: '{"id":2}' },
    ])
    const config = { dead_letters: { topic: letters } }
    {
      await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }], config })
      await driver.rowsAre(tableOf(topic), ['{"keys":["id"],"id":1}', '{"keys":["id"],"id":2}'], process)
      await driver.committedAre(group, topic, [4n], process)
      await driver.stop(process)
    }
    const kept = (await driver.client.read(letters)).toSorted((a, b) => a.value!.length - b.value!.length)
    expect(kept).toHaveLength(2)
    expect(kept[0]!.key).toEqual(binary)
    expect(String(kept[0]!.value)).toBe('{"other":1}')
    expect(kept[0]!.headers.slice(0, 3)).toEqual(headers.map(([name, value]) => [name, Buffer.from(value)]))
    expect(told(kept[0]!.headers)).toMatchObject({
      'dlq.reason_': 'rejected',
      'dlq.topic': topic,
      'dlq.partition': '0',
      'dlq.offset': '1',
    })
    expect(String(kept[1]!.value)).toBe(large)
    expect(told(kept[1]!.headers)).toMatchObject({ 'dlq.reason': 'refused', 'dlq.offset': '2' })

    // with other keys the first can be stored; the other one is refused again
    const again = { group, topics: [{ topic, keys: { offset: true } }], config }
    await using replay = await driver.start(again, '--from-dead-letters')
    expect((await driver.endOf(replay)).code, replay.toString()).toBe(0)
    expect(parsed(await driver.rows(tableOf(topic)))).toContainEqual(
      expect.objectContaining({ _kafka_topic: topic, _kafka_partition: 0, _kafka_offset: 1, other: 1 }),
    )
    const letter = (await driver.client.read(letters)).filter(({ value }) => String(value) === large)
    expect(letter).toHaveLength(2)
    expect(await driver.client.committed(group, topic)).toEqual([4n])
    await using nothing = await driver.start(again, '--from-dead-letters')
    expect((await driver.endOf(nothing)).code, nothing.toString()).toBe(0)
  })

  it('tells dead letters why the service refused them, but never the key it may repeat', async () => {
    const group = uniqueName('group')
    const letters = await driver.topic()
    const topic = await driver.filled([{ value: '{"id":1}' }, { value: '{"id":2}' }])
    const body = JSON.stringify({
      code: 400,
      message: `the key ${KEY}`,
      reasons: [`apikey=${encodeURIComponent(KEY)}`],
    })
    await driver.fault({ table: tableOf(topic), every: 1, answer: { status: 400, body } })
    const config = { dead_letters: { topic: letters } }
    await using process = await driver.start({ group, topics: [{ topic, keys: ['id'] }], config })
    await driver.committedAre(group, topic, [2n], process)
    await driver.stop(process)
    const kept = await driver.client.read(letters)
    expect(kept).toHaveLength(2)
    for (const { headers } of kept) {
      const facts = told(headers)
      expect(facts['dlq.reason']).toBe('refused')
      expect(facts['dlq.error']).toContain('the key')
      keepsSecrets({ stdout: JSON.stringify(Object.values(facts)) + Object.values(facts).join('\n'), stderr: '' })
    }
  })
})

function told(headers: readonly (readonly [name: string, value: Buffer | null])[]): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]))
}
