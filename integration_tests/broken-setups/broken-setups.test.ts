// Broken set-ups of spec/broken-setups, each played with the real process: what it says names the field or file, what was found
// and what to do. Those of Kafka are in stream/broken-setups.test.ts.

import { describe, expect, it } from 'vitest'
import { readAreas } from '../../spec/broken-setups/read-cases.ts'
import { judged } from './judge.ts'
import { played, told } from './play.ts'

const NOWHERE = (): undefined => undefined

describe.each(readAreas().filter(({ name }) => name !== 'kafka'))('$name', ({ good, cases }) => {
  it.concurrent('what its cases break is whole', async () => {
    const { code, said } = await played(good, NOWHERE, async ({ code, stdout, stderr }) => ({
      code,
      said: stdout + stderr,
    }))
    expect(code, said).toBe(good.exit)
  })

  it.concurrent.each(cases)('$name', async (setup) => {
    await played(setup, NOWHERE, async (played) => {
      const wrong = await judged(setup, played)
      expect(wrong, `${told(played, setup.says.at).message}\n---\n${played.stdout}${played.stderr}`).toEqual([])
    })
  })
})
