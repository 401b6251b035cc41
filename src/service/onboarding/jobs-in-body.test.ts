import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { jobsIn } from './jobs-in-body.ts'

const TYPE = { name: 'Connection Test', id: 27 }
const RUNNING = { id: 5, status: { name: 'Running', id: 2 }, type: TYPE }
const SHORT = { id: 5, status: 'running', type: TYPE }

it.each([
  ['a list', [RUNNING], [RUNNING]],
  ['an empty list', [], []],
  ['a job', RUNNING, [RUNNING]],
  ['a job without an id', { status: 'completed' }, [{ status: 'completed' }]],
  ['a job whose state is a word', SHORT, [SHORT]],
  ['a list by another name', { jobs: [RUNNING] }, [RUNNING]],
  ['an envelope', { status: 'success', data: [RUNNING] }, [RUNNING]],
  ['an envelope in which nothing is', { status: 'success', data: [] }, []],
  ['an envelope around nothing', { status: 'success', data: null }, []],
  ['an envelope around an empty object', { status: 'success', data: {} }, []],
  ['an envelope around a job', { status: 'success', data: SHORT }, [SHORT]],
  ['an envelope around a named list', { status: 'success', data: { jobs: [RUNNING], total: 1 } }, [RUNNING]],
  [
    'an envelope with lists of other things',
    { status: 'success', warnings: ['x'], errors: [], data: [SHORT] },
    [SHORT],
  ],
])('%s', (_, body, jobs) => {
  expect(jobsIn(body)).toEqual(jobs)
})

it.each([
  ['two lists of jobs', { status: 'success', old: [SHORT], new: [SHORT] }],
  ['two jobs', { status: 'success', old: SHORT, new: SHORT }],
  ['a list too deep to be found', { status: 'success', result: { page: { jobs: [RUNNING] } } }],
  ['no job', { message: 'hello' }],
  ['a text', 'completed'],
  ['null', null],
])('%s: nobody can tell', (_, body) => {
  expect(jobsIn(body)).toBe(body)
})

const word = fc.constantFrom('success', 'completed', 'ok', 'Running', 'Failed')
const job = fc.record({
  id: fc.option(fc.nat()),
  status: fc.oneof(word, fc.record({ name: word, id: fc.nat() })),
  type: fc.constant(TYPE),
})

it('finds the same jobs in whatever envelope, whatever it says of itself', () => {
  const rest = fc.record({ status: word, code: fc.nat(), errors: fc.constant([]) }, { requiredKeys: [] })
  const name = fc.constantFrom('data', 'jobs', 'items')
  fc.assert(
    fc.property(fc.array(job), rest, name, fc.boolean(), (jobs, rest, name, isDeep) => {
      const envelope = { ...rest, [name]: isDeep ? { list: jobs, total: jobs.length } : jobs }
      expect(jobsIn(envelope)).toEqual(jobs)
    }),
  )
})
