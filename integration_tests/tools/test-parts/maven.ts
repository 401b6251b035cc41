// Parts whose files Maven fetches from its repositories, and Java runs. Knows not which.

import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findJava } from './find-java.ts'
import { listedFiles, PINS } from './listed-files.ts'
import type { Part } from './part.ts'

/** Of Maven's plug-in that fetches. */
export const DEPENDENCY_PLUGIN = '3.8.1'

export interface MavenFiles {
  /** Of the part; another recipe is another part. */
  readonly name: string
  readonly recipe: string
  /** The folder of the files in that of the part. */
  readonly below: string
  /** @param target the folder of the files, not there yet */
  fetch(target: string, signal: AbortSignal): Promise<void>
}

/** @param environment of Java and Maven: JAVA_HOME, PATH and theirs @param pins a folder of lists that the files must agree with */
export function mavenPart(files: MavenFiles, environment: NodeJS.ProcessEnv, pins = PINS): Part {
  const { name, recipe, below } = files
  const { check, works, isGenuine } = listedFiles(name, below, pins)
  return {
    name,
    recipe: async () => recipe,
    obstacle: (signal) => mavenObstacle(environment, signal),
    async make(folder, signal) {
      await files.fetch(join(folder, below), signal)
      await check(folder)
    },
    works,
    isGenuine,
  }
}

/** What stands in the way; `undefined` when nothing does. */
async function mavenObstacle(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | undefined> {
  const java = await findJava(environment, signal)
  if ('reason' in java) return java.reason
  const maven = await runMaven(['--version'], environment, signal).catch(() => undefined)
  signal.throwIfAborted()
  return maven === undefined ? 'it needs Maven, and mvn cannot be run' : undefined
}

/** @param args every path among them absolute. @throws with the first thing it complains of */
export async function fetchWithMaven(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  // without the second, what was absent once is not looked for again for a day
  await runMaven(['--strict-checksums', '--update-snapshots', '--quiet', ...args], environment, signal)
}

/** The jars that running the project needs, its own if it has one. @param pom its text @param target the folder they are put into */
export async function copyJars(
  pom: string,
  target: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'pom-'))
  const file = join(folder.path, 'pom.xml')
  await writeFile(file, pom)
  const goal = `org.apache.maven.plugins:maven-dependency-plugin:${DEPENDENCY_PLUGIN}:copy-dependencies`
  const options = [goal, '-DincludeScope=runtime', `-DoutputDirectory=${target}`]
  await fetchWithMaven(['--file', file, ...options], environment, signal)
}

/** For a pom. */
export function dependency(group: string, artifact: string, version: string, more = ''): string {
  const names = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`
  return `<dependency>${names}${more}</dependency>`
}

async function runMaven(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  // where there is no project its plug-in that unpacks leaves a folder, by the name of ${project.basedir}, where it runs
  await using folder = await mkdtempDisposable(join(tmpdir(), 'maven-'))
  try {
    const all = ['--batch-mode', '--no-transfer-progress', ...args]
    return (await promisify(execFile)('mvn', all, { cwd: folder.path, env, signal })).stdout
  } catch (error) {
    const { stdout = '', message } = error as Error & { stdout?: string }
    // the first thing it complains of says why; advice follows
    const complaint = /\[ERROR\] (.+?)(?: -> \[Help|$)/m.exec(stdout)?.[1]
    throw new Error(complaint ?? message, { cause: error })
  }
}
