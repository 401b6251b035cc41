// The jars of the public broker image: the broker, and the tools for the command line. Knows not how an image is made of them.

import { copyJars, dependency, mavenPart } from '../test-parts/maven.ts'
import type { Part } from '../test-parts/part.ts'

/** The folder of the jars in that of the part. */
export const JARS = 'libs'

/** @param version of Kafka, 4 or newer, such as 4.3.1 @param environment and @param pins as for every part of Maven's */
export function brokerJars(version: string, environment: NodeJS.ProcessEnv, pins?: string): Part {
  const name = `kafka-image-${version.replaceAll('.', '-')}`
  const fetch = (target: string, signal: AbortSignal): Promise<void> =>
    copyJars(pom(version), target, environment, signal)
  return mavenPart({ name, recipe: pom(version), below: JARS, fetch }, environment, pins)
}

/** Without Kafka Connect, of which no tool here needs anything. */
function pom(version: string): string {
  const connect = exclusion('org.apache.kafka', 'connect-runtime')
  const jakarta = exclusion('com.fasterxml.jackson.jakarta.rs', '*')
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>kafka-image</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', version)}
    ${dependency('org.apache.kafka', 'kafka-tools', version, `<exclusions>${connect}${jakarta}</exclusions>`)}
    ${dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.4')}
  </dependencies>
</project>
`
}

function exclusion(group: string, artifact: string): string {
  return `<exclusion><groupId>${group}</groupId><artifactId>${artifact}</artifactId></exclusion>`
}
