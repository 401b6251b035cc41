// `npm run pin -- platformatic`: whether the newest @platformatic/kafka still has the four faults for which it is not our client
// (docs/decisions.md#when-kafkajs-is-left). It reads the published source and runs none of it. Where a line that makes a
// fault is gone, what stands there now is to be read. No part of the product.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Fault {
  readonly says: string
  readonly file: string
  /** Matches the lines that make it. */
  readonly lines: RegExp
}

const NAME = '@platformatic/kafka'
const CONSUMER = 'package/dist/clients/consumer/consumer.js'
export const FAULTS: readonly Fault[] = [
  {
    says: 'of a producer it knows one range of rolled-back records: those of its other ones are delivered',
    file: CONSUMER,
    lines: /abortedRanges\.set\(aborted\.producerId, \[aborted\.firstOffset, -1n\]\)/,
  },
  {
    says: 'rolled-back records whose end is in the next answer are delivered',
    file: CONSUMER,
    lines: /!\(toSkip\[1\] !== -1n &&/,
  },
  {
    says: 'a rebalance is an event: it does not wait until what was fetched is settled',
    file: CONSUMER,
    lines:
      /emitWithDebug\('consumer', 'group:rebalance', \{ groupId: this\.groupId \}\);\s*\n\s*(?:this\.#performJoinGroup|for \()/,
  },
  {
    says: 'it is tested with Kafka 3.5 to 4.2 alone',
    file: 'package/README.md',
    lines: /from \*\*3\.5\.0\*\* to \*\*4\.2\.0\*\*/,
  },
]

/** @param read a file of the package, '' where it is not @returns a line a fault */
export function judge(read: (file: string) => string): string[] {
  return FAULTS.map(
    ({ says, file, lines }) => `${lines.test(read(file)) ? 'still so' : `rewritten, read ${file}`}: ${says}`,
  )
}

if (process.argv[1] === import.meta.filename) {
  const folder = mkdtempSync(join(tmpdir(), 'platformatic-'))
  try {
    const npm = (...args: readonly string[]) => spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
    const { status, stdout } = npm('view', NAME, 'version', 'time', '--json', '--fetch-retries', '0')
    if (status === 0 && npm('pack', NAME, '--silent', '--ignore-scripts').status === 0) tell(stdout, folder)
    else console.log('no answer: no npm registry gives @platformatic/kafka')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param view what `npm view --json` printed @param folder with the packed archive */
function tell(view: string, folder: string): void {
  const { version, time } = JSON.parse(view) as { version: string; time: Record<string, string> }
  spawnSync('sh', ['-c', 'tar xzf *.tgz'], { cwd: folder })
  const published = time[version] ?? ''
  const weeks = Math.floor((Date.now() - Date.parse(published)) / (7 * 86_400_000))
  console.log(`${NAME} ${version} of ${published.slice(0, 10)}, the newest; ${weeks} weeks old`)
  for (const line of judge((file) => readFileSync(join(folder, file), 'utf8'))) console.log(line)
}
