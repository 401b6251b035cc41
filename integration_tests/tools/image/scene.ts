// What a situation of the image is given.

import { readFile } from 'node:fs/promises'
import type { Docker } from './docker.ts'
import type { Stage } from './stage.ts'

export interface Scene {
  readonly docker: Docker
  readonly stage: Stage
}

/** Throws when the image does not do what it must, or CanNotTry. */
export type Situation = (scene: Scene) => Promise<void>

/** A file of the checkout. */
export const checkoutFile = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
