import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSummary } from '../summaries.ts'
import { KEY, PARTITIONS } from './door.ts'
import { promise } from './promise.ts'
import { versions, WatchedService } from './service.ts'

const RECORDS = 1_200
const FIRST = 400
const CANARY = 'canary-4711'

promise('summary', (door) => {
  it('and one that is stopped, or done, one that says so', async () => {
    const records = versions([...Array(RECORDS).keys()], () => `,"x":"${CANARY}"`)
    await using service = await WatchedService.open()
    await using entrance = await door.open({ url: service.url, records, config: { max_points: 20 } })
    const [summary, report] = ['summary.json', 'report.html'].map((name) => join(entrance.folder, name))
    const page = async (): Promise<string> => {
      const text = await readFile(report!, 'utf8')
      for (const form of [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1), CANARY])
        expect(text).not.toContain(form)
      expect(text.endsWith('</html>\n')).toBe(true)
      return text
    }
    for (const [signal, code, result, words] of [
      ['SIGKILL', null, 'running', '>Under way<'],
      ['SIGTERM', 143, 'stopped', '>Stopped<'],
    ] as const) {
      service.hold((points) => points.some(({ id }) => id >= FIRST))
      const before = service.upserts
      await using running = await entrance.start('--summary', summary!, '--report', report!)
      await running.until(() => service.upserts > before, 'it sends nothing')
      const ended = running.end(signal)
      service.letGo()
      expect(await ended, running.toString()).toBe(code)
      const told = await readSummary(summary!, [KEY, CANARY])
      expect(told).toMatchObject({ result, exit_code: code })
      expect(told.ended === null).toBe(signal === 'SIGKILL')
      expect(await page()).toContain(words)
      await running.until(() => service.underWay === 0, 'an upsert is never answered')
    }
    await using running = await entrance.start('--summary', summary!, '--report', report!)
    const result = await entrance.finish(running)
    const told = await readSummary(summary!, [KEY, CANARY])
    expect(told).toMatchObject({ result, exit_code: result === 'done' ? 0 : 143, error: null })
    // each partition has every second id; one that an earlier process had settled is not told
    const ends = new Set(told.offsets.map(({ last }) => last))
    if (door.name === 'Kafka') expect(ends).toEqual(new Set([`${RECORDS / PARTITIONS - 1}`]))
    if (door.name === 'Airbyte') expect(told.states).not.toBeNull()
    expect(await page()).toContain(result === 'done' ? '>Done<' : '>Stopped<')
  })
})
