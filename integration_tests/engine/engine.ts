// The engine under test, exactly as `write` composes it; a copy with a planted fault has the same shape.

import { pathToFileURL } from 'node:url'
import { FixedPermits } from '../../src/core/concurrency/fixed-permits.ts'
import { AdaptivePermits } from '../../src/core/concurrency/limit.ts'
import { LIMIT } from '../../src/core/concurrency/tuning.ts'
import { deliver } from '../../src/core/deliver.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { Tally } from '../../src/core/tally.ts'
import type { Permits } from '../../src/core/types.ts'
import { classify } from '../../src/service/import/classify.ts'
import { outcomeOf } from '../../src/service/http/failure.ts'
import type { PermitsPlan } from './history.ts'

export interface Engine {
  readonly deliver: typeof deliver
  readonly AdaptivePermits: typeof AdaptivePermits
  readonly LIMIT: typeof LIMIT
  readonly FixedPermits: typeof FixedPermits
  readonly ConnectorError: typeof ConnectorError
  readonly Tally: typeof Tally
  readonly classify: typeof classify
  readonly outcomeOf: typeof outcomeOf
}

export const engine: Engine = {
  deliver,
  AdaptivePermits,
  LIMIT,
  FixedPermits,
  ConnectorError,
  Tally,
  classify,
  outcomeOf,
}

/** As `write` chooses them. */
export function permitsOf({ AdaptivePermits, FixedPermits }: Engine, { limit, perSecond }: PermitsPlan): Permits {
  return limit === undefined ? new AdaptivePermits({ perSecond }) : new FixedPermits({ limit, perSecond })
}

const FILES = [
  'core/deliver.ts',
  'core/concurrency/fixed-permits.ts',
  'core/concurrency/limit.ts',
  'core/concurrency/tuning.ts',
  'core/errors.ts',
  'core/tally.ts',
  'service/import/classify.ts',
  'service/http/failure.ts',
]

/** The engine of a copy of the rooms core and service. */
export async function loadEngine(directory: string): Promise<Engine> {
  const load = async (file: string): Promise<unknown> => import(`${pathToFileURL(directory).href}/${file}`)
  const parts = await Promise.all(FILES.map(load))
  return Object.assign({}, ...parts) as Engine
}
