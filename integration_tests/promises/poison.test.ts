import { expect, it } from 'vitest'
import { promise } from './promise.ts'
import { versions, WatchedService } from './service.ts'

const RECORDS = 4_000
/** How many of each kind, and whether they stand in a row. */
const CASES = [
  [12, false],
  [12, true],
] as const

promise('poison', (door) => {
  it.each(CASES)('with %i refused and as many rejected ones, in a row: %j', async (count, isInARow) => {
    const places = [...Array(count).keys()].map((n) => (isInARow ? 1_700 + 4 * n : 13 + n * 307))
    const refused = new Set(places)
    const keyless = new Set(places.map((at) => at + 2))
    const records = versions([...Array(RECORDS).keys()], (at) => (refused.has(at) ? ',"bad":true' : ''))
    for (const at of keyless) records[at] = { id: at, data: `{"no":${at}}` }
    await using service = await WatchedService.open()
    const isBad = ({ body }: { readonly body: Uint8Array }): boolean => Buffer.from(body).includes('"bad":true')
    service.service.fault({
      every: 1,
      answer: (upsert) => (isBad(upsert) ? { status: 400, body: { message: 'no' } } : undefined),
    })
    const config = { max_rejected_share: 1 }
    await using entrance = await door.open({ url: service.url, records, config, keepsRejects: true })
    await using running = await entrance.start()
    await entrance.finish(running)
    const bad = new Set([...refused, ...keyless])
    const good = records.filter((_, at) => !bad.has(at))
    expect(service.rows.toSorted()).toEqual(good.map(({ data }) => data.replace('{', '{"keys":["id"],')).toSorted())
    expect((await entrance.rejects()).toSorted()).toEqual([...bad].map((at) => records[at]!.data).toSorted())
    // halving finds one of a hundred in 14 requests at most
    expect(service.upserts).toBeLessThan((2 * RECORDS) / 100 + 18 * count)
  })
})
