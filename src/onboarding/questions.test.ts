import { describe, expect, it } from 'vitest'

import { honestAnswer, NO_CHOICES, PLAN, testWorld } from './testing/world.ts'

it('an adoption that is repeated does nothing, another one contradicts', async () => {
  const world = testWorld(() => 'well')
  const choices = { adopt: { A2: 9, A4: 3, A6: 5, A10: 'dash-8' }, notCreated: [] }
  world.made.A6.push(5)
  const ended = await world.run(choices)
  expect(ended).toMatchObject({
    status: 'done',
    value: { client_id: 9, user_id: 3, connection_id: 5, dashboard_id: 'dash-8' },
  })
  const lines = world.journal.entries.length
  await world.run(choices)
  expect(world.journal.entries).toHaveLength(lines)
  for (const adopt of [{ A2: 8 }, { A4: 8 }, { A6: 8 }, { A8: 1 }, { A10: 'x' }]) {
    await expect(world.run({ adopt, notCreated: [] })).rejects.toThrow('contradicts the journal')
  }
  expect(world.journal.entries).toHaveLength(lines)
})

it('a confirmation is for one loss', async () => {
  let fate: 'lost before' | 'lost behind' = 'lost before'
  const world = testWorld((endpoint) => (endpoint === 'A10' ? fate : 'well'))
  await world.run()
  const confirmed = { adopt: {}, notCreated: ['A10'] }
  fate = 'lost behind'
  expect(await world.run(confirmed)).toMatchObject({
    status: 'asks',
    question: expect.stringContaining('--not-created A10#2'),
  })
  expect(await world.run(confirmed)).toMatchObject({ status: 'asks' })
  expect(world.notes.at(-1)).toContain('was for an earlier attempt; for the last one it is --not-created A10#2')
  expect(world.made.A10).toHaveLength(1)
  const asked = await world.run(NO_CHOICES)
  const answer = honestAnswer(world, asked.status === 'asks' ? asked.question : '')
  expect(answer.adopt).toEqual({ A10: `dash-${world.made.A10[0]}` })
  expect((await world.run(answer)).status).toBe('done')
})

it('of several connections of the name, none of them known to be meant, only a choice is offered', async () => {
  const world = testWorld(() => 'well')
  world.made.A6.push(5, 6)
  const adopted = { adopt: { A2: 9 }, notCreated: [] }
  const ended = await world.run(adopted)
  const question = ended.status === 'asks' ? ended.question : ''
  expect(question).toContain('several of that name: 5, 6. A6 (add the connection) was not sent.')
  expect(question).toContain('\n  --connection-id N ')
  // it would count for nothing, and the same question would come for ever
  expect(question).not.toContain('--not-created')
  const plan = { ...PLAN, connection: { ...PLAN.connection, name: 'another' } }
  expect((await world.run(adopted, undefined, plan)).status).toBe('done')
  expect(world.made.A6).toHaveLength(3)
})

it('a confirmation of what is there, or was never sent, does nothing', async () => {
  const world = testWorld(() => 'well')
  expect((await world.run({ adopt: {}, notCreated: ['A2', 'A10#3'] })).status).toBe('done')
  expect((await world.run({ adopt: {}, notCreated: ['A2', 'A4', 'A6', 'A8', 'A10'] })).status).toBe('done')
  expect(world.notes).toHaveLength(7)
  expect(world.calls).toHaveLength(11)
})

it('a connection that is no good can be made anew, once it is gone', async () => {
  let word = 'failed'
  const world = testWorld(
    () => 'well',
    (endpoint) => (endpoint === 'A9' ? word : 'completed'),
  )
  await expect(world.run()).rejects.toThrow('--not-created A6')
  word = 'completed'
  // somebody removes it in the product
  const [old] = world.made.A6.splice(0)
  const confirmed = { adopt: {}, notCreated: ['A6'] }
  expect((await world.run(confirmed)).status).toBe('done')
  expect(world.made.A6).toHaveLength(1)
  expect(world.made.A6).not.toEqual([old])
  expect(world.made.A8).toHaveLength(2)
  expect((await world.run(confirmed)).status).toBe('done')
  expect(world.made.A6).toHaveLength(1)
})

it('a connection that is still there is not made again', async () => {
  const world = testWorld(
    () => 'well',
    (endpoint) => (endpoint === 'A9' ? 'failed' : 'completed'),
  )
  await expect(world.run()).rejects.toThrow('A9')
  await expect(world.run({ adopt: {}, notCreated: ['A6'] })).rejects.toThrow('A9')
  expect(world.made.A6).toHaveLength(1)
  expect(world.notes).toContainEqual(expect.stringContaining('is there already, by the list'))
})

it('what is made anew may be made with other values, but for the client', async () => {
  let plan = PLAN
  const world = testWorld(
    (endpoint) => (endpoint === 'A4' ? 'lost before' : 'well'),
    () => 'completed',
    PLAN,
  )
  await world.run()
  plan = { ...PLAN, user: { ...PLAN.user, email: 'other@example.com' } }
  await expect(world.run(NO_CHOICES, undefined, plan)).rejects.toThrow('belongs to another onboarding: user.email')
  expect(await world.run({ adopt: {}, notCreated: ['A4'] }, undefined, plan)).toMatchObject({ status: 'asks' })
  plan = { ...plan, client: { ...PLAN.client, company: 'Other' } }
  await expect(world.run({ adopt: {}, notCreated: ['A2', 'A4#2'] }, undefined, plan)).rejects.toThrow('client.company')
})

describe('a connection that is in the journal and that the service does not list', () => {
  it('is waited for, and then its answers are that it is gone, or which one it is', async () => {
    const world = testWorld((endpoint) => {
      if (endpoint === 'A7') world.made.A6.splice(0)
      return 'well'
    })
    for (let runs = 0; runs < 2; runs++)
      await expect(world.run()).rejects.toThrow(/A7 .*its last status: "not listed"\..* nothing is created twice/)
    expect(world.calls.filter((call) => call === 'A6')).toHaveLength(1)

    // there it is, under another id: nothing is created
    const lines = world.journal.entries.length
    const other = testWorld(() => 'well')
    other.journal.known = world.journal.known
    other.made.A6.push(5)
    expect(await other.run({ adopt: { A6: 5 }, notCreated: [] })).toMatchObject({ value: { connection_id: 5 } })
    expect(other.calls).not.toContain('A6')

    // it is gone: one is created, and that is waited for
    await expect(world.run({ adopt: {}, notCreated: ['A6'] })).rejects.toThrow('"not listed"')
    expect(world.calls.filter((call) => call === 'A6')).toHaveLength(2)
    expect(world.journal.entries[lines]).toMatchObject({ event: 'nothing', endpoint: 'A6', confirmed: true })
    expect(world.journal.entries.filter(({ event }) => event === 'nothing')).toHaveLength(1)
  })

  it('is asked about when it may never have been created: both answers are offered, and both count', async () => {
    for (const fate of ['lost before', 'lost behind'] as const) {
      let isLost = true
      const world = testWorld((endpoint) => (endpoint === 'A6' && isLost ? fate : 'well'))
      const hide = testWorld(() => 'well')
      const listed = world.api.listConnections.bind(world.api)
      Object.assign(world.api, { listConnections: hide.api.listConnections })
      const ended = await world.run()
      const question = ended.status === 'asks' ? ended.question : ''
      expect(question).toContain('no usable answer came: A6 was lost.')
      expect(question).toContain('The list of connections shows none of that name. Look at the connections of client ')
      expect(question).toMatch(/\n {2}--connection-id N {3}it exists, .*\n {2}--not-created A6 {4}it does not exist /)
      isLost = false
      Object.assign(world.api, { listConnections: listed })
      expect((await world.run(honestAnswer(world, question))).status).toBe('done')
      expect(world.made.A6).toHaveLength(1)
    }
  })

  it('is made anew when it was removed before it was tested', async () => {
    let isRefused = true
    const world = testWorld((endpoint) => (endpoint === 'A9' && isRefused ? 'refused' : 'well'))
    const adopted = { adopt: { A2: 9 }, notCreated: [] }
    // tests that are there already are looked for first
    await expect(world.run(adopted)).rejects.toThrow('A9: 400')
    const [old] = world.made.A6.splice(0)
    isRefused = false
    const ended = await world.run({ ...adopted, notCreated: ['A6'] })
    expect(ended).toMatchObject({ status: 'done', value: { connection_id: world.made.A6[0] } })
    expect(world.made.A6).not.toEqual([old])
    expect(world.journal.entries.flatMap((entry) => (entry.event === 'nothing' ? [entry.endpoint] : []))).toEqual([
      'A6',
    ])
  })

  it('takes its test with it: the next one is another, and asks of its own', async () => {
    let word = 'running'
    let fate: 'well' | 'lost before' = 'well'
    const world = testWorld(
      (endpoint) => (endpoint === 'A8' ? fate : 'well'),
      (endpoint) => (endpoint === 'A9' ? word : 'completed'),
    )
    await expect(world.run()).rejects.toThrow('its last status: "running"')
    world.made.A6.splice(0)
    fate = 'lost before'
    const ended = await world.run({ adopt: {}, notCreated: ['A6'] })
    const question = ended.status === 'asks' ? ended.question : ''
    // the old test is in the list
    expect(question).toContain('The list of jobs shows none that could be it.')
    expect(question).toMatch(/--not-created A8 {2,}/)
    word = 'completed'
    fate = 'well'
    expect((await world.run({ adopt: {}, notCreated: ['A8'] })).status).toBe('done')
    expect([world.made.A6.length, world.made.A8.length]).toEqual([1, 2])
  })

  it('is no question once it was tested', async () => {
    const world = testWorld(() => 'well')
    await world.run()
    world.made.A6.splice(0)
    expect((await world.run({ adopt: {}, notCreated: ['A6'] })).status).toBe('done')
    expect(world.notes).toEqual(['--not-created A6 has nothing to confirm and has no effect.'])
    expect(world.made.A6).toEqual([])
  })
})
