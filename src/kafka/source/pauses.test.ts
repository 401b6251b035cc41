import { describe, expect, it } from 'vitest'
import { OwnedPartition } from './owned-partition.ts'
import { Pauses } from './pauses.ts'
import { batchOf, position, sourceOf } from './testing/partitions.ts'
import { rows } from './testing/delivery.ts'
import { TOPIC } from './testing/topics.ts'

const NONE = { outage: 0, rebalance: 0, buffer: 0, budget: 0, schemas: 0, fetched_ahead: 0 }

function opened() {
  const state = { isDown: false, isBufferFull: false, isBudgetFull: false }
  const pauses = new Pauses({
    isDown: () => state.isDown,
    isBufferFull: () => state.isBufferFull,
    isBudgetFull: () => state.isBudgetFull,
  })
  return { state, pauses, owned: new OwnedPartition(position(0, 0n), { records: 0, written: 0, rejected: 0 }) }
}

describe('a pause', () => {
  it('has the reason that is behind it, at the moment', () => {
    const { state, pauses, owned } = opened()
    expect(pauses.reasonOf(owned)).toBeUndefined()
    state.isBudgetFull = true
    expect(pauses.reasonOf(owned)).toBe('budget')
    state.isBudgetFull = false
    owned.isHeld = true
    expect(pauses.reasonOf(owned)).toBe('fetched_ahead')
    state.isBufferFull = true
    expect(pauses.reasonOf(owned)).toBe('buffer')
    state.isDown = true
    expect(pauses.reasonOf(owned)).toBe('outage')
    owned.isHeld = false
    expect(pauses.reasonOf(owned)).toBeUndefined()
    owned.paused = 'schemas'
    expect(pauses.reasonOf(owned)).toBe('schemas')
    owned.paused = 'budget'
    expect(pauses.reasonOf(owned)).toBe('outage')
    Object.assign(state, { isDown: false, isBufferFull: false })
    expect(pauses.reasonOf(owned)).toBe('budget')
    owned.close()
    expect(pauses.reasonOf(owned)).toBe('rebalance')
  })

  it('is counted once, by topic, when it begins', () => {
    const { pauses, state } = opened()
    const { source } = sourceOf({}, false, undefined, undefined, pauses)
    source.assigned([position(0, 0n), position(1, 0n)])
    let offset = 0
    const fetch = (count: number): void => {
      for (let batch = 0; batch < count; batch++) source.batch(batchOf(0, rows(offset, ++offset)))
    }
    fetch(15)
    expect(pauses.of(TOPIC)).toEqual(NONE)
    fetch(4)
    expect(pauses.of(TOPIC)).toEqual({ ...NONE, fetched_ahead: 1 })
    state.isDown = true
    source.lost()
    expect(pauses.of(TOPIC)).toEqual({ ...NONE, fetched_ahead: 1, rebalance: 2 })
    expect(pauses.of('another')).toEqual(NONE)
  })
})
