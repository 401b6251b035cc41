// Finds what Apicurio Registry is run with: Java and the jars of the test part. Fetches and starts nothing.

import { join } from 'node:path'
import { apicurio, APICURIO_JAR } from '../tools/test-parts/apicurio.ts'
import { findJava } from '../tools/test-parts/find-java.ts'
import { findPart, partsFolder } from '../tools/test-parts/part.ts'

export type FoundApicurio =
  | { readonly java: string; readonly jar: string }
  /** Why it cannot be run and what to do, for a person. */
  | { readonly reason: string }

/** @param environment TEST_PARTS, XDG_CACHE_HOME, HOME, JAVA_HOME, PATH */
export async function findApicurio(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<FoundApicurio> {
  const folder = await findPart(partsFolder(environment), apicurio(environment))
  if (folder === undefined) return { reason: 'Apicurio Registry is not there: npm run fetch:test-parts' }
  const java = await findJava(environment, signal)
  return 'reason' in java ? java : { java: java.command, jar: join(folder, APICURIO_JAR) }
}
