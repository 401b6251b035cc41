import { expect, it } from 'vitest'
import { overrideFor } from '../mapping/testing/facts.ts'
import { tooFewRecords } from './end-words.ts'

const expecting = (name: string, minRecords: number) => overrideFor({ name, expect: { minRecords } })

/** @param came records of each stream, in the order of their names: "0", "1" and so on @param least of each expected */
function told(came: readonly number[], least: readonly number[]): string | undefined {
  const tracks = came.map((_, at) => ({ name: `${at}` }))
  const receivedOf = ({ name }: { readonly name: string }): number => came[Number(name)]!
  const overrides = least.map((one, at) => expecting(`${at}`, one))
  return tooFewRecords(tracks, overrides, { receivedOf }, false)?.message
}

it('names the streams with too few records: those that are fewer than expected, none among them, and no others', () => {
  expect(told([2, 3, 0], [2, 2])).toBeUndefined()
  expect(told([1, 0, 5], [2, 1, 5])).toMatch(
    /^Too few records came: 1 record of stream "0", where expect\.min_records is 2; 0 records of stream "1", where [^;]* is 1\. All that came was stored, and its STATEs were printed\. /,
  )
})

it('names twenty streams with too few records', () => {
  const many = Array.from({ length: 22 }, () => 1)
  expect(
    told(
      many.map(() => 0),
      many,
    ),
  ).toMatch(/"19", where [^;]*; and 2 more streams\. /)
})
