// Finds the Java that Kafka's broker runs on: JAVA_HOME's, else the one on the PATH. Knows nothing of Kafka.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const WANTED = 17

export type FoundJava =
  | { readonly command: string }
  /** Why there is none, for a person. */
  | { readonly reason: string }

/** @param environment JAVA_HOME, PATH */
export async function findJava(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<FoundJava> {
  const { JAVA_HOME } = environment
  const command = JAVA_HOME ? join(JAVA_HOME, 'bin', 'java') : 'java'
  try {
    const { stderr } = await promisify(execFile)(command, ['-version'], { env: environment, signal })
    // 17.0.15, 21-ea; before Java 9: 1.8.0_292
    const major = /version "(\d+)/.exec(stderr)?.[1]
    if (Number(major) >= WANTED) return { command }
    return { reason: `it needs Java ${WANTED} or newer, and ${command} is Java ${major ?? 'of an unknown version'}` }
  } catch {
    signal?.throwIfAborted()
    return { reason: `it needs Java ${WANTED} or newer, and ${command} cannot be run` }
  }
}
