import { expect, it } from 'vitest'
import { Random } from '../engine/random.ts'
import { oneOf } from '../fuzz/hostile.ts'
import type { Planned } from './door.ts'
import { promise } from './promise.ts'
import { lastRows, WatchedService } from './service.ts'

const RECORDS = 1_500
/** What a parser that is not careful would write otherwise. */
const VALUES = [
  '12345678901234567890.1234567890',
  '1.10',
  '-0',
  '1E400',
  '1e-7',
  String.raw`"lämp \u00e9 \ud83d\ude00 😀 \/ \b"`,
  String.raw`"\ud800"`,
  '"a\u2028b\u00a0c\u007f"',
  '{"b":1,"a":[ ],"b":2}',
  '[ 1 , [ null,true ] ]',
  '""',
]
const NAMES = ['a', '__proto__', 'constructor', String.raw`\u0061`, 'é', '', '0']
const BLANKS = ['', ' ', '  ', '\t']

promise('bytes', (door) => {
  it(`of ${RECORDS} random records`, async () => {
    const random = new Random(7)
    const blank = (): string => oneOf(random, BLANKS)
    const records = Array.from({ length: RECORDS }, (_, at): Planned => {
      const id = random.below(at + 1)
      const members = Array.from(
        { length: random.below(4) },
        (__, n) => `${blank()}"${oneOf(random, NAMES)}${n}"${blank()}:${blank()}${oneOf(random, VALUES)}${blank()}`,
      )
      const all = [...members, `${blank()}"id"${blank()}:${blank()}${id}`, `${blank()}"v":${at}`]
      return { id, data: `{${all.join()}${blank()}}` }
    })
    await using service = await WatchedService.open()
    await using entrance = await door.open({ url: service.url, records })
    await using running = await entrance.start()
    await entrance.finish(running)
    expect(service.rows.toSorted()).toEqual(lastRows(records))
  })
})
