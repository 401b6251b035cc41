// The whole truth table of decisions.md#older-rows-are-refused-or-kept, written from its words: every mode, generation,
// minimum and policy.

import { describe, expect, it } from 'vitest'
import { mapEachStream } from './map-streams.ts'
import { factsOf, overrideFor, UNTOUCHED } from './testing/facts.ts'

/** What the two numbers say: nothing; all before this generation is to go; the same, of the first generation, before
 *  which there is nothing; no order to follow, as a minimum without a generation. */
type Said = 'nothing' | 'go' | 'first' | 'wrong'

const MINIMUMS = [undefined, 0, 1, 2, 5]
const SAID: readonly (readonly [number | undefined, ...Said[]])[] = [
  [undefined, 'nothing', 'wrong', 'wrong', 'wrong', 'wrong'],
  [0, 'nothing', 'nothing', 'wrong', 'wrong', 'wrong'],
  [1, 'nothing', 'nothing', 'first', 'wrong', 'wrong'],
  [2, 'nothing', 'nothing', 'wrong', 'go', 'wrong'],
  [5, 'nothing', 'nothing', 'wrong', 'wrong', 'go'],
]

const CASES = SAID.flatMap(([generation, ...row]) =>
  row.flatMap((said, column) =>
    ['append', 'append_dedup', 'overwrite'].flatMap((mode) =>
      (['refuse', 'keep'] as const).map((policy) => ({ mode, generation, minimum: MINIMUMS[column], said, policy })),
    ),
  ),
)

const mapped = (
  { mode, generation, minimum, policy }: Pick<(typeof CASES)[number], 'mode' | 'generation' | 'minimum' | 'policy'>,
  ofStream: boolean,
) => {
  const facts = factsOf({ destinationSyncMode: mode, generationId: generation, minimumGenerationId: minimum })
  const other = policy === 'keep' ? ('refuse' as const) : ('keep' as const)
  const options = ofStream
    ? { ...UNTOUCHED, olderRows: other, streams: [overrideFor({ olderRows: policy })] }
    : { ...UNTOUCHED, olderRows: policy }
  return mapEachStream([facts], options)[0]!
}

describe('older rows', () => {
  it.each(CASES)('$mode, generation $generation, minimum $minimum, policy $policy', (given) => {
    const { mode, generation, said, policy } = given
    for (const ofStream of [false, true]) {
      const { mapping, refused } = mapped(given, ofStream)
      expect(refused !== undefined).toBe(said === 'wrong')
      if (!mapping) continue
      const asked = mode === 'overwrite' || said === 'go'
      const became = { refuse: 'refused', keep: 'kept' }[policy]
      expect(mapping.olderRows).toBe(asked ? became : 'not asked')
      expect(mapping.refusedRecords !== undefined).toBe(asked && policy === 'refuse')
      const marker =
        generation === undefined ? { name: '_airbyte_extracted_at' } : { name: '_airbyte_generation_id', generation }
      expect(mapping.columns).toEqual(asked && policy === 'keep' ? [marker] : [])
      expect(mapping.warnings).toHaveLength(asked || said === 'first' ? 1 : 0)
    }
  })

  it('are all looked at', () => expect(CASES).toHaveLength(150))

  it('of a refused stream: the message names stream, mode and both ways out', () => {
    const { mapping } = mapped({ mode: 'overwrite', generation: 3, minimum: 3, policy: 'refuse' }, false)
    for (const words of ['"orders"', 'overwrite', 'older_rows: keep', 'write_strategy="append"', '3'])
      expect(mapping!.refusedRecords).toContain(words)
    expect(mapping!.warnings[0]).toContain('without records')
  })

  it('of a kept stream: the warning names the column that tells them apart', () => {
    const { mapping } = mapped({ mode: 'overwrite', generation: undefined, minimum: undefined, policy: 'keep' }, false)
    expect(mapping!.warnings[0]).toContain('_airbyte_extracted_at')
  })

  it.each([
    [2, 1, 'between'],
    [1, 2, 'above'],
    [undefined, 1, 'no generation_id'],
  ])('generation %s with minimum %s says what is wrong', (generation, minimum, words) => {
    const { refused } = mapped({ mode: 'append', generation, minimum, policy: 'keep' }, false)
    expect(refused).toContain(words)
  })

  it('keep the column the user wants in its place', () => {
    const facts = factsOf({ destinationSyncMode: 'overwrite', generationId: 4 })
    const columns = ['_airbyte_meta', '_airbyte_generation_id'] as const
    const [{ mapping } = { mapping: undefined }] = mapEachStream([facts], {
      ...UNTOUCHED,
      olderRows: 'keep',
      metadataColumns: columns,
    })
    expect(mapping!.columns.map(({ name }) => name)).toEqual(columns)
  })
})
