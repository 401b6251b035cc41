// A short round of `npm run soak`: the connector is killed at random and goes on from its last state, the service is killed
// and comes back on its file, faults come and go; the tables are the model's.

import { expect, it } from 'vitest'
import { soak } from '../soak/soak.ts'

it('leaves what the model says after kills of the connector and of the service, and faults', async ({ signal }) => {
  const { figures, difference } = await soak({
    seed: 3,
    seconds: 8,
    lanes: 2,
    records: 2_000,
    endings: 5,
    restartEveryMs: 2_500,
    patient: false,
    signal,
  })
  expect(difference).toBeUndefined()
  for (const figure of ['kills', 'restarts', 'resumes', 'states', 'rows'] as const)
    expect(figures[figure], figure).toBeGreaterThan(0)
  expect(figures.scheduled - figures.unmet).toBeGreaterThan(0)
})
