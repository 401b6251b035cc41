// Whatever goes wrong, in whatever order, and however often the process is killed: nothing is made twice, and in the end
// everything is there.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { Crash, honestAnswer, isStop, NO_CHOICES, testWorld, type Fate } from './testing/world.ts'

const fates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>('well') },
    {
      weight: 5,
      arbitrary: fc.constantFrom<Fate>(
        'busy',
        'lost before',
        'lost behind',
        'unauthorised',
        'refused',
        'missing',
        'conflict',
        'redirected behind',
        'nonsense behind',
        'crash before',
        'crash behind',
      ),
    },
  ),
  { maxLength: 60 },
)

it('makes one of each, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (fates) => {
      const left = [...fates]
      const world = testWorld(() => left.shift() ?? 'well')
      let choices = NO_CHOICES
      for (let runs = 0; ; runs++) {
        // each run uses up at least one fate, or the answer to a question
        expect(runs).toBeLessThan(2 * fates.length + 3)
        const ended = await world.run(choices).catch((error: unknown) => {
          if (error instanceof Crash || isStop(error)) return undefined
          throw error
        })
        for (const endpoint of ['A2', 'A4', 'A6', 'A10'] as const) {
          expect(world.made[endpoint].length).toBeLessThanOrEqual(1)
        }
        if (ended?.status === 'done') {
          const { A2, A4, A6, A10 } = world.made
          expect(ended.value).toMatchObject({
            client_id: A2[0],
            user_id: A4[0],
            connection_id: A6[0],
            dashboard_id: `dash-${A10[0]}`,
          })
          return
        }
        // the same answer is given until another question comes
        if (ended?.status === 'asks') choices = honestAnswer(world, ended.question)
      }
    }),
    { numRuns: 300 },
  )
})

it('writes an intent before every creating request, and its end behind', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (fates) => {
      const left = [...fates]
      const world = testWorld((endpoint) => {
        const creating =
          endpoint === 'A2' || endpoint === 'A4' || endpoint === 'A6' || endpoint === 'A8' || endpoint === 'A10'
        const last = world.journal.entries.at(-1)
        if (creating) expect(last).toMatchObject({ event: 'intent', endpoint })
        return left.shift() ?? 'well'
      })
      await world.run().catch((error: unknown) => {
        if (!(error instanceof Crash || isStop(error))) throw error
      })
    }),
    { numRuns: 100 },
  )
})
