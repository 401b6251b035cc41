// Which production files of `src` a change touches, as git sees it. Nothing of the repository is written to.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** `base`: the commit compared with. `files`: those that are there, from the root, in order; committed or not. */
export interface Change {
  readonly base: string
  readonly files: readonly string[]
}

/** @param since a commit, or undefined for where this branch left the main one
 *  @param paths of files and folders, or none for all
 *  @throws TypeError when there is no such commit */
export async function changedFiles(root: string, since: string | undefined, paths: readonly string[]): Promise<Change> {
  const base = since === undefined ? await baseOf(root) : await commitOf(root, since)
  if (base === undefined)
    throw new TypeError(`There is no commit ${since ?? MAIN.join(' or ')}: name one with --since.`)
  const where = ['--', ...(paths.length > 0 ? paths : ['src'])]
  const changed = await git(root, 'diff', '-z', '--name-only', '--no-renames', '--diff-filter=d', base, ...where)
  const added = await git(root, 'ls-files', '-z', '--others', '--exclude-standard', ...where)
  const files = [...new Set([...namesIn(changed), ...namesIn(added)])].filter(isProduction)
  return { base, files: files.toSorted() }
}

/** Everything but what git ignores. */
export async function allFiles(root: string): Promise<string[]> {
  const listed = namesIn(await git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'))
  const gone = new Set(namesIn(await git(root, 'ls-files', '-z', '--deleted')))
  return [...new Set(listed)].filter((file) => !gone.has(file))
}

const MAIN = ['main', 'origin/main'] as const

async function baseOf(root: string): Promise<string | undefined> {
  for (const name of MAIN) {
    const main = await commitOf(root, name)
    if (main !== undefined) return (await git(root, 'merge-base', 'HEAD', main)).trim()
  }
  return undefined
}

async function commitOf(root: string, name: string): Promise<string | undefined> {
  try {
    return (await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)).trim()
  } catch {
    return undefined
  }
}

function isProduction(file: string): boolean {
  return /^src\/.*\.ts$/.test(file) && !/\.(test|spec|d)\.ts$|\/testing\//.test(file)
}

function namesIn(listed: string): string[] {
  return listed.split('\0').filter((name) => name !== '')
}

async function git(root: string, ...args: string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 2 ** 26, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } }
  return (await execute('git', args, options)).stdout
}
