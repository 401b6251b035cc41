// Finds the Python with the reference clients of Kafka and of registries: the test part. Fetches and starts nothing.

import { join } from 'node:path'
import { findPart, partsFolder } from '../tools/test-parts/part.ts'
import { pythonKafka } from '../tools/test-parts/python-parts.ts'

export type FoundPython =
  | { readonly python: string }
  /** Why there is none and what to do, for a person. */
  | { readonly reason: string }

/** @param environment TEST_PARTS, XDG_CACHE_HOME, HOME */
export async function findPythonKafka(environment: NodeJS.ProcessEnv): Promise<FoundPython> {
  const folder = await findPart(partsFolder(environment), pythonKafka)
  if (folder === undefined) return { reason: "Kafka's clients for Python are not there: npm run fetch:test-parts" }
  return { python: join(folder, 'bin', 'python') }
}
