// `node try-engine.ts DIRECTORY HISTORIES`: plays always the same histories through the engine of that directory until a law is
// broken; prints what as one line of JSON. A process of its own, for a faulty engine may never end.

import * as fc from 'fast-check'
import { loadEngine } from './engine.ts'
import { histories } from './history.ts'
import { play } from './play.ts'

const SEED = 20_260

/** `after`: how many histories it took; without `law` none was broken. */
export interface Verdict {
  readonly after: number
  readonly law?: string
}

if (import.meta.main) {
  const [, , directory, count] = process.argv
  const engine = await loadEngine(directory!)
  // a fault may surface where nobody waits for it
  let law: string | undefined
  process.on('unhandledRejection', (error) => {
    law ??= `nothing is thrown where nobody catches it: ${String(error)}`
  })
  const isLawful = fc.asyncProperty(histories, async (history) => {
    const { broken } = await play(engine, history)
    law ??= broken?.law
    return law === undefined
  })
  const run = await fc.check(isLawful, { numRuns: Number(count), endOnFailure: true, seed: SEED })
  console.log(JSON.stringify({ after: run.numRuns, law } satisfies { after: number; law: string | undefined }))
}
