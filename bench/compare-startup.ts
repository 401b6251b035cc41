// How long `spec` takes beside a Node that does nothing, in turn. Knows no bar.

import { spawnSync } from 'node:child_process'
import { median } from './statistics.ts'

export interface Startup {
  readonly nodeSeconds: number
  readonly specSeconds: number
}

/** Medians of the wall times of `node -e 0` and `node SCRIPT spec`; the first pair is thrown away. Throws if spec fails. */
export function compareStartup(script: string, rounds: number): Startup {
  const [node, spec]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const pair = [time(['-e', '0']), time([script, 'spec'])] as const
    if (!pair[1].stdout.includes('"type":"SPEC"')) throw new Error('spec printed no SPEC message')
    if (round === 0) continue
    node.push(pair[0].seconds)
    spec.push(pair[1].seconds)
  }
  return { nodeSeconds: median(node), specSeconds: median(spec) }
}

function time(command: readonly string[]): { seconds: number; stdout: string } {
  const started = process.hrtime.bigint()
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    maxBuffer: 1 << 26,
  })
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  if (status !== 0) throw new Error(`node ${command.join(' ')}: exit code ${status}\n${stderr}`)
  return { seconds, stdout }
}
