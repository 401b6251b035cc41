// Apicurio Registry, a schema registry that speaks Confluent's interface, from Maven's repositories. Knows not how it is
// started.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DEPENDENCY_PLUGIN, fetchWithMaven, mavenPart } from './maven.ts'
import type { Part } from './part.ts'

/** The last whose classes Java 17 reads; 3 needs 21. */
const VERSION = '2.6.13.Final'
const ARTIFACT = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`
/** The folder of its files in that of the part. */
export const UNPACKED = 'registry'

/** The jar that is run, in the folder of the part; it finds the others beside it. */
export const APICURIO_JAR = join(UNPACKED, `apicurio-registry-app-${VERSION}-runner.jar`)

/** @param environment and @param pins as for every part of Maven's */
export function apicurio(environment: NodeJS.ProcessEnv, pins?: string): Part {
  const goal = `org.apache.maven.plugins:maven-dependency-plugin:${DEPENDENCY_PLUGIN}:unpack`
  const fetch = async (target: string, signal: AbortSignal): Promise<void> => {
    await mkdir(target)
    await fetchWithMaven([goal, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${target}`], environment, signal)
  }
  return mavenPart({ name: 'apicurio', recipe: ARTIFACT, below: UNPACKED, fetch }, environment, pins)
}
