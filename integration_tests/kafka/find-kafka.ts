// Finds what a Kafka broker is run with: Java and the jars of the test part. Fetches and starts nothing.

import { join } from 'node:path'
import { findJava } from '../tools/test-parts/find-java.ts'
import { JARS, kafka } from '../tools/test-parts/kafka.ts'
import { findPart, partsFolder } from '../tools/test-parts/part.ts'

export type FoundKafka =
  | { readonly java: string; readonly classPath: string }
  /** Why it cannot be run and what to do, for a person. */
  | { readonly reason: string }

/** @param environment TEST_PARTS, XDG_CACHE_HOME, HOME, JAVA_HOME, PATH */
export async function findKafka(
  version: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<FoundKafka> {
  const folder = await findPart(partsFolder(environment), kafka(version, environment))
  if (folder === undefined)
    return { reason: `the jars of Kafka ${version} are not there: npm run fetch:test-parts -- kafka` }
  const java = await findJava(environment, signal)
  return 'reason' in java ? java : { java: java.command, classPath: join(folder, JARS, '*') }
}
