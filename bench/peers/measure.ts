// One process of a peer, in whatever language: its time, its CPU and peak memory by the kernel's own count, and its lines.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Start } from './peers.ts'

export interface Measured {
  readonly code: number | null
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakBytes: number
  /** The end of what it said beside its lines. */
  readonly said: string
}

/** @param line called with each line of its standard output @param kill aborted: it is killed at once */
export async function measure(start: Start, line: (text: string) => void, kill: AbortSignal): Promise<Measured> {
  const [command = '', ...args] = start.command
  const began = performance.now()
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...start.env } })
  const die = (): boolean => child.kill('SIGKILL')
  kill.addEventListener('abort', die)
  let [rest, said, cpuSeconds, peakBytes] = ['', '', 0, 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const it of lines) line(it)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  // a program that ends early leaves its input unread
  child.stdin.on('error', () => {}).end(start.input)
  const watch = setInterval(() => {
    try {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
      // the clock of /proc ticks a hundred times a second on every Linux
      cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))
      if (peak !== null) peakBytes = Number(peak[1]) * 1024
    } catch {
      // it has just ended
    }
  }, 20)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(watch)
  kill.removeEventListener('abort', die)
  return { code, seconds: (performance.now() - began) / 1000, cpuSeconds, peakBytes, said }
}
