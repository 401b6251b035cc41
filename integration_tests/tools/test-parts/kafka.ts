// Apache Kafka's broker with all it needs to run, as jars from Maven's repositories. Knows not how a broker is started.

import { copyJars, dependency, DEPENDENCY_PLUGIN, mavenPart } from './maven.ts'
import type { Part } from './part.ts'

/** The folder of the jars in that of the part. */
export const JARS = 'libs'

/** @param environment KAFKA_VERSION: another than the default */
export function kafkaVersion(environment: NodeJS.ProcessEnv): string {
  return environment['KAFKA_VERSION'] || '4.4.0'
}

/** Each version is a part of its own. @param environment and @param pins as for every part of Maven's */
export function kafka(version: string, environment: NodeJS.ProcessEnv, pins?: string): Part {
  const name = `kafka-${version.toLowerCase().replaceAll(/[^0-9a-z]+/g, '-')}`
  const fetch = async (target: string, signal: AbortSignal): Promise<void> => {
    if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`KAFKA_VERSION is '${version}': write it like 4.4.0`)
    await copyJars(pom(version), target, environment, signal)
  }
  return mavenPart({ name, recipe: pom(version), below: JARS, fetch }, environment, pins)
}

function pom(version: string): string {
  const is4 = Number.parseInt(version, 10) >= 4
  const logger = is4
    ? dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.4')
    : dependency('org.slf4j', 'slf4j-simple', '1.7.36')
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>test</groupId><artifactId>kafka-broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', version, version === '4.4.0' ? UNPUBLISHED : '')}
    ${logger}
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>
    <version>${DEPENDENCY_PLUGIN}</version>
  </plugin></plugins></build>
</project>
`
}

/** The pom of 4.4.0 names it, and nothing needs it at run time. */
const UNPUBLISHED =
  '<exclusions><exclusion><groupId>org.apache.kafka</groupId><artifactId>kafka-tools-api</artifactId></exclusion></exclusions>'
