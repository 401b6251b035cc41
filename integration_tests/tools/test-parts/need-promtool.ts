// How tests ask for promtool: skipped where it is not, unless it could be had and they must run.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { inject, type TestContext } from 'vitest'
import { promtool } from './debian-programs.ts'
import { findPart, partsFolder } from './part.ts'

/** Asking takes apt seconds. */
let obstacle: Promise<string | undefined> | undefined

/** @returns the path of the program */
export async function needPromtool({ skip, task, signal }: TestContext): Promise<string> {
  const part = promtool(process.env)
  const folder = await findPart(partsFolder(process.env), part)
  if (folder !== undefined) return join(folder, part.name)
  const reason = await (obstacle ??= part.obstacle(signal))
  if (reason === undefined && inject('kafka').mustRun)
    throw new Error('promtool can be had here, and this is not to be skipped: npm run fetch:test-parts')
  task.meta.needs = 'promtool'
  return skip(reason ?? 'promtool is not there: npm run fetch:test-parts')
}

/** @param input of the program
 *  @returns its exit code and what it says */
export async function promtoolSays(context: TestContext, args: readonly string[], input = ''): Promise<string> {
  const program = await needPromtool(context)
  return new Promise((resolve) => {
    const child = execFile(program, args, { signal: context.signal }, (error, stdout, stderr) =>
      resolve(`${error?.code ?? 0} ${stdout}${stderr}`),
    )
    child.stdin!.end(input)
  })
}
