import { describe, expect, it } from 'vitest'
import { mapStreams } from './map-streams.ts'
import type { StreamFacts } from './stream-facts.ts'
import { factsOf, UNTOUCHED } from './test-facts.ts'

const map = (...streams: Partial<StreamFacts>[]) => mapStreams(streams.map(factsOf), UNTOUCHED)

describe('mapStreams', () => {
  it.each([
    [{ primaryKey: [['a'], ['b'], ['a']] }, ['a', 'b']],
    [{ primaryKey: [], sourceDefinedPrimaryKey: [['s']] }, ['s']],
    [{ destinationSyncMode: 'append' }, []],
    [{ destinationSyncMode: 'overwrite' }, []],
  ])('%j has key fields %j', (over, keyFields) => {
    expect(map(over)[0]!.key.map(({ field }) => field)).toEqual(keyFields)
  })

  it('names every problem at once', () => {
    const wrong = [
      { name: 'a', destinationSyncMode: 'update' },
      { name: 'b', destinationSyncMode: undefined },
      { name: 'c', primaryKey: [] },
      { name: 'd', primaryKey: [['a', 'b']], declared: ['a_b'] },
      { name: 'e', minimumGenerationId: 1 },
      { name: 'f', generationId: 2, minimumGenerationId: 1 },
      { name: 'g', generationId: 2, minimumGenerationId: 3 },
      { name: 'Rejected_Records' },
      { name: 'same.name' },
      { name: 'SAME_name' },
    ]
    const thrown = (() => {
      try {
        map(...wrong)
        return ''
      } catch (error) {
        return String(error)
      }
    })()
    for (const { name } of wrong) expect(thrown).toContain(`"${name}"`)
  })

  it.each([
    [{ generationId: 1, minimumGenerationId: 1 }, false, 1],
    [{ generationId: 5, minimumGenerationId: 0 }, false, 0],
    [{ generationId: 5, minimumGenerationId: 5 }, true, 1],
    [{ destinationSyncMode: 'append', generationId: 5, minimumGenerationId: 5 }, true, 1],
    [{ destinationSyncMode: 'overwrite', generationId: 1, minimumGenerationId: 1 }, true, 1],
    [{ destinationSyncMode: 'overwrite' }, true, 1],
  ])('%j: records refused %s, %i warnings', (over, refused, warnings) => {
    const [mapping] = map(over)
    expect(mapping!.refusedRecords !== undefined).toBe(refused)
    expect(mapping!.warnings).toHaveLength(warnings)
  })
})
