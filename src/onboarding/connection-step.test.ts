import { describe, expect, it } from 'vitest'
import { connectionsNamed, connectionState } from './connection-step.ts'

const stateOf = (item: object): object =>
  connectionState(
    [
      { id: 4, status: 'failed' },
      { id: 5, ...item },
    ],
    5,
  )

describe('the state of a connection', () => {
  it.each([
    [{ status: 'completed' }, 'done', 'completed'],
    [{ status: { name: 'Completed', id: 3 } }, 'done', 'Completed'],
    [{ integration_type: { pipeline_state: 'complete' } }, 'done', 'complete'],
    [{ status: 'pending' }, 'running', 'pending'],
    [{ status: 'completed', integration_type: { pipeline_state: 'syncing' } }, 'done', 'completed'],
    [{ status: { name: 'Success' }, integration_type: { pipeline_state: 'live' } }, 'done', 'Success'],
    [{ status: 'complete', integration_type: { pipeline_state: 'completed with warnings' } }, 'done', 'complete'],
    [{ status: 'completed', integration_type: { pipeline_state: 'failed' } }, 'failed', 'failed'],
    [{ status: { name: 'completed' }, integration_type: { pipeline_state: 'Cancelled' } }, 'failed', 'Cancelled'],
    [{ status: 'pending', integration_type: { pipeline_state: 'completed' } }, 'running', 'pending'],
    [{ status: { name: 'queued' }, integration_type: { pipeline_state: 'completed' } }, 'running', 'queued'],
    [{ status: 'running', integration_type: { pipeline_state: 'failed' } }, 'failed', 'failed'],
    [{ status: 'Completed With Errors' }, 'failed', 'Completed With Errors'],
    [{}, 'done', undefined],
    [{ properties: { status: '1' } }, 'done', undefined],
    [{ status: null, integration_type: null }, 'done', undefined],
    [{ status: 1, integration_type: { pipeline_state: ' ' } }, 'done', undefined],
  ])('%j is %s', (item, state, word) => {
    expect(stateOf(item)).toEqual({ state, word })
  })

  it('is running while it is not listed', () => {
    expect(connectionState([{ id: 4 }, { id: null }, {}], 5)).toEqual({ state: 'running', word: 'not listed' })
  })

  it('is found by an id that is written as a text too', () => {
    expect(connectionState([{ id: '5', status: 'completed' }], 5).state).toBe('done')
  })
})

it('finds connections by their whole name, each once', () => {
  const list = [
    { id: 1, name: 'store' },
    { id: 1, name: 'store' },
    { id: 2, name: 'Store' },
    { id: 3, name: 'store2' },
    { name: 'store' },
  ]
  expect(connectionsNamed(list, 'store')).toEqual([1])
})
