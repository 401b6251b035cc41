// One process of a peer, in whatever language: its time, its CPU and peak memory by the kernel's own count, and its lines.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Start } from './peers.ts'

export interface Measured {
  readonly code: number | null
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakBytes: number
  /** The end of what it said beside its lines. */
  readonly said: string
}

const EVERY_MS = 20
/** Of the kernel's clock in /proc, which is this on every Linux. */
const TICKS = 100

/** @param line called with each line of its standard output @param kill aborted: it is killed at once */
export async function measure(start: Start, line: (text: string) => void, kill: AbortSignal): Promise<Measured> {
  const [command = '', ...args] = start.command
  const began = performance.now()
  const env = { PATH: process.env['PATH'], ...start.env }
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env })
  const die = (): boolean => child.kill('SIGKILL')
  kill.addEventListener('abort', die)
  let [rest, said] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const it of lines) line(it)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  // a program that ends early leaves its input unread
  child.stdin.on('error', () => {})
  child.stdin.end(start.input)
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const used = { cpuSeconds: 0, peakBytes: 0 }
  const isOver = new AbortController()
  const watching = watch(child.pid ?? 0, used, isOver.signal)
  const code = await ended
  const seconds = (performance.now() - began) / 1000
  isOver.abort()
  await watching
  kill.removeEventListener('abort', die)
  return { code, seconds, ...used, said }
}

async function watch(pid: number, used: { cpuSeconds: number; peakBytes: number }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
      used.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
      if (peak !== null) used.peakBytes = Number(peak[1]) * 1024
    } catch {
      // it has just ended
    }
    await wait(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
