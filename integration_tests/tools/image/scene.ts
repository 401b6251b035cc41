// What a situation of the image is given.

import { readFile } from 'node:fs/promises'
import type { Docker } from './docker.ts'
import type { Stage } from './stage.ts'

export interface Scene {
  readonly docker: Docker
  readonly stage: Stage
}

/** Throws when the image does not do what it must, or that it cannot be tried. */
export type Situation = (scene: Scene) => Promise<void>

/** This machine lacks something; the message says what. */
export class CanNotTry extends Error {}

/** A file of the checkout. */
export const checkoutFile = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
