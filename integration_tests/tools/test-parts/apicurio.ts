// Apicurio Registry, a schema registry that speaks Confluent's interface, from Maven's repositories. Knows not how it is
// started.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listedFiles, PINS } from './listed-files.ts'
import { DEPENDENCY_PLUGIN, fetchWithMaven, mavenObstacle } from './maven.ts'
import type { Part } from './part.ts'

/** The last whose classes Java 17 reads; 3 needs 21. */
const VERSION = '2.6.13.Final'
const ARTIFACT = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`
/** The folder of its files in that of the part. */
export const UNPACKED = 'registry'

/** The jar that is run, in the folder of the part; it finds the others beside it. */
export const APICURIO_JAR = join(UNPACKED, `apicurio-registry-app-${VERSION}-runner.jar`)

/** @param environment of Java and Maven: JAVA_HOME, PATH and theirs @param pins a folder of lists that the files must agree with */
export function apicurio(environment: NodeJS.ProcessEnv, pins = PINS): Part {
  const { check, works, isGenuine } = listedFiles('apicurio', UNPACKED, pins)
  return {
    name: 'apicurio',
    recipe: async () => ARTIFACT,
    obstacle: (signal) => mavenObstacle(environment, signal),
    async make(folder, signal) {
      const target = join(folder, UNPACKED)
      await mkdir(target)
      const goal = `org.apache.maven.plugins:maven-dependency-plugin:${DEPENDENCY_PLUGIN}:unpack`
      await fetchWithMaven([goal, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${target}`], environment, signal)
      await check(folder)
    },
    works,
    isGenuine,
  }
}
