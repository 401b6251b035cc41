// The engine under test, exactly as `write` composes it; a copy with a planted fault has the same shape.

import { pathToFileURL } from 'node:url'
import { AdaptivePermits, CEILING } from '../../src/core/adaptive-permits.ts'
import { deliver } from '../../src/core/deliver.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { FixedPermits } from '../../src/core/permits.ts'
import { Tally } from '../../src/core/tally.ts'
import type { Permits } from '../../src/core/types.ts'
import { classify } from '../../src/service/classify.ts'
import { outcomeOf } from '../../src/service/failure.ts'
import type { PermitsPlan } from './history.ts'

export interface Engine {
  readonly deliver: typeof deliver
  readonly AdaptivePermits: typeof AdaptivePermits
  readonly CEILING: typeof CEILING
  readonly FixedPermits: typeof FixedPermits
  readonly ConnectorError: typeof ConnectorError
  readonly Tally: typeof Tally
  readonly classify: typeof classify
  readonly outcomeOf: typeof outcomeOf
}

export const engine: Engine = {
  deliver,
  AdaptivePermits,
  CEILING,
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
  'core/adaptive-permits.ts',
  'core/permits.ts',
  'core/errors.ts',
  'core/tally.ts',
  'service/classify.ts',
  'service/failure.ts',
]

/** The engine of a copy of the rooms core and service. */
export async function loadEngine(directory: string): Promise<Engine> {
  const load = async (file: string): Promise<unknown> => import(`${pathToFileURL(directory).href}/${file}`)
  const parts = await Promise.all(FILES.map(load))
  return Object.assign({}, ...parts) as Engine
}
