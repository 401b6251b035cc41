// Apicurio Registry, a schema registry that speaks Confluent's interface, from Maven's repositories. Knows not how it is
// started.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { areListed, listFiles } from './listed-files.ts'
import { DEPENDENCY_PLUGIN, fetchWithMaven, mavenObstacle } from './maven.ts'
import type { Part } from './part.ts'

/** The last whose classes Java 17 reads; 3 needs 21. */
const VERSION = '2.6.13.Final'
const ARTIFACT = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`
const LISTED = 'files.json'
const UNPACKED = 'registry'

/** The jar that is run, in the folder of the part; it finds the others beside it. */
export const APICURIO_JAR = join(UNPACKED, `apicurio-registry-app-${VERSION}-runner.jar`)

/** @param environment of Java and Maven: JAVA_HOME, PATH and theirs */
export function apicurio(environment: NodeJS.ProcessEnv): Part {
  return {
    name: 'apicurio',
    recipe: async () => ARTIFACT,
    obstacle: (signal) => mavenObstacle(environment, signal),
    async make(folder, signal) {
      const target = join(folder, UNPACKED)
      await mkdir(target)
      const goal = `org.apache.maven.plugins:maven-dependency-plugin:${DEPENDENCY_PLUGIN}:unpack`
      await fetchWithMaven([goal, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${target}`], environment, signal)
      await listFiles(join(folder, LISTED), target)
    },
    works: (folder) => areListed(join(folder, LISTED), join(folder, UNPACKED)),
  }
}
