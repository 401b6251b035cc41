import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { AS_USER } from '../cli/readme-commands.ts'
import { FAULTS, judge } from './platformatic.ts'

/** Of 2.12.1. */
const FAULTY: Readonly<Record<string, string>> = {
  'package/dist/clients/consumer/consumer.js': `
                        abortedRanges.set(aborted.producerId, [aborted.firstOffset, -1n]);
                        return !toSkip || !(toSkip[1] !== -1n && r.firstOffset >= toSkip[0] && r.firstOffset < toSkip[1]);
                    this.emitWithDebug('consumer', 'group:rebalance', { groupId: this.groupId });
                    this.#performJoinGroup(options, callback);`,
  'package/README.md':
    'Supported Apache Kafka versions are from **3.5.0** to **4.2.0** and equivalent, edges included.',
}

it('knows four faults, each by the line that makes it, and says which line was rewritten', () => {
  expect(judge((file) => FAULTY[file]!).map((line) => line.split(':')[0])).toEqual(Array(4).fill('still so'))
  for (const [at, { file, lines }] of FAULTS.entries()) {
    const mended = judge((of) => (of === file ? FAULTY[of]!.replace(lines, '') : FAULTY[of]!))
    expect(mended.map((line) => line.startsWith('still so'))).toEqual(FAULTS.map((_, other) => other !== at))
    expect(mended[at]).toContain(`rewritten, read ${file}`)
  }
})

it('has no answer where no registry is reached', () => {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9' }
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'pin', '--', 'platformatic'], {
    ...AS_USER,
    env,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, 'no answer: no npm registry gives @platformatic/kafka\n'])
})
