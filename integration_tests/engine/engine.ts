// The engine under test, exactly as `write` composes it; a copy with a planted fault has the same shape.

import { pathToFileURL } from 'node:url'
import { deliver } from '../../src/core/deliver.ts'
import { ConnectorError } from '../../src/core/errors.ts'
import { FixedPermits } from '../../src/core/permits.ts'
import { Tally } from '../../src/core/tally.ts'

export interface Engine {
  readonly deliver: typeof deliver
  readonly FixedPermits: typeof FixedPermits
  readonly ConnectorError: typeof ConnectorError
  readonly Tally: typeof Tally
}

export const engine: Engine = { deliver, FixedPermits, ConnectorError, Tally }

/** The engine of another directory of core's modules. */
export async function loadEngine(directory: string): Promise<Engine> {
  const load = async (file: string): Promise<unknown> => import(`${pathToFileURL(directory).href}/${file}`)
  const parts = await Promise.all(['deliver.ts', 'permits.ts', 'errors.ts', 'tally.ts'].map(load))
  return Object.assign({}, ...parts) as Engine
}
