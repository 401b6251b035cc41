// Endpoints B1 and B2: is the service there, is the key good. Touches no data.

import { done } from './answers.ts'
import { authorise } from './authorise.ts'
import type { Context } from './context.ts'
import type { ImportRoute } from './route.ts'
import type { Answer } from './types.ts'

/** Service document 4.B1 and B4. */
export function status(sandbox: boolean): Answer {
  return done(sandbox ? 'the import sandbox is operational' : 'the import interface is operational')
}

/** Service document 4.B2. */
export function authenticate(route: ImportRoute, context: Context): Answer {
  const client = authorise(route, context)
  return typeof client === 'number' ? done(`the key is good for client ${client}`) : client
}
