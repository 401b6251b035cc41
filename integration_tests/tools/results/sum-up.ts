// node sum-up.ts FOLDER FAILED_STEPS: what all groups of a run came to, out of the files of the folder, one a group. Says again
// what failed, for a step may have said it far above; then what is flaky; at last `N passed, M failed, K skipped`. Exit 1 when
// something failed or nothing passed.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countsOf, failedFiles, failuresOf, withoutFilesOf } from './results.ts'
import type { FileResult, Flaky, Results } from './results.ts'

type Group = Results & { readonly flaky?: readonly Flaky[] }

/** A newcomer's tests that need a broker are skipped; those of their files that ran with one stand for them. */
const [NEWCOMER, BROKER] = ['newcomer', 'broker']
const LONGEST_MESSAGE = 2000

const [folder = '', failedSteps = '0'] = process.argv.slice(2)
const groups = new Map<string, Group>()
for (const file of (await readdir(folder)).toSorted())
  groups.set(file.replace(/\.json$/, ''), JSON.parse(await readFile(join(folder, file), 'utf8')) as Group)
const [newcomer, broker] = [groups.get(NEWCOMER), groups.get(BROKER)]
if (newcomer && broker) groups.set(NEWCOMER, { ...newcomer, ...withoutFilesOf(newcomer, broker) })

const sum = { passed: 0, failed: 0, skipped: 0 }
for (const [name, group] of groups) {
  const { passed, failed, skipped } = countsOf(group)
  sum.passed += passed
  sum.failed += failed
  sum.skipped += skipped
  for (const file of failedFiles(group)) for (const line of failureLines(name, file)) console.log(line)
}
for (const [name, { flaky = [] }] of groups)
  for (const { name: file, failed } of flaky)
    console.log(`flaky (${name}): ${file} failed, and passed by itself: ${failed.join('; ')}`)
// a step that failed without a failed test (a lint error, say) counts as one
sum.failed = Math.max(sum.failed, Number(failedSteps))
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
process.exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1

function failureLines(group: string, file: FileResult): string[] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return [`failed: ${group} ${file.name} ${failuresOf(file).join('')}`]
  return failed.map(({ fullName, failureMessages = [] }) => {
    const message = failureMessages.join('\n').slice(0, LONGEST_MESSAGE)
    return `failed: ${group} ${file.name} ${fullName}\n  ${message}`
  })
}
