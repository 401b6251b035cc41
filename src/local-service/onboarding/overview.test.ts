import { expect, it } from 'vitest'
import { logIn, newConnection, SIGNUP, testService } from './testing/service.ts'

interface Answer {
  readonly total: number
  readonly jobs: readonly {
    readonly kind: string
    readonly client_id: number | null
    readonly about: string
    states: object[]
  }[]
}

it('shows each job with the states it has been in', async () => {
  await using it = await testService({ onboarding: { plans: { signup: { durationMs: 3000, outcome: 'Failed' } } } })
  const jobs = async (): Promise<Answer> => (await it.send('GET', '/_local/jobs')).body as Answer
  expect(await jobs()).toEqual({ total: 0, jobs: [] })
  const me = await logIn(it)
  const start = it.now
  await it.send('POST', '/v3/signups', { body: SIGNUP })
  const pending = { state: 'pending', since: start }
  expect((await jobs()).jobs).toEqual([
    { kind: 'signup', id: expect.any(String), client_id: null, about: SIGNUP.company, states: [pending] },
  ])
  it.now += 1000
  expect((await jobs()).jobs[0]!.states).toEqual([pending, { state: 'running', since: start + 1000 }])
  it.now += 2000
  const ended = { state: 'Failed', since: start + 3000 }
  expect((await jobs()).jobs[0]!.states).toEqual([pending, { state: 'running', since: start + 1000 }, ended])
  it.now += 1
  await newConnection(it, 7, me)
  const both = await jobs()
  expect([both.total, both.jobs.map(({ kind, client_id: client }) => [kind, client])]).toEqual([
    2,
    [
      ['connection', 7],
      ['signup', null],
    ],
  ])
})
