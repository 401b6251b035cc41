// Plays a set-up: its files in a folder, its places, the real process; and reads from what it said what a case looks at.

import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Says, Setup } from '../../spec/broken-setups/read-cases.ts'
import { start, workFolder } from '../connector.ts'
import { Places, type Find } from './places.ts'

/** What ends by itself ends sooner. */
const PATIENCE_MS = 60_000

export interface Played {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Texts of the case, with its places filled in. */
  fill(texts: readonly string[]): Promise<string[]>
}

interface Line {
  readonly type?: string
  readonly level?: string
  readonly message?: string
  readonly kind?: string
  readonly code?: string
  readonly trace?: {
    readonly error?: { readonly message: string; readonly failure_type: string; readonly code?: string }
  }
  readonly connectionStatus?: { readonly message: string; readonly findings?: readonly { readonly code: string }[] }
}

/** @param find places of the area's own
 *  @param look is called while the places are there */
export async function played<T>(setup: Setup, find: Find, look: (played: Played) => Promise<T>): Promise<T> {
  await using folder = await workFolder()
  await using places = new Places(setup, (place) => (place === 'folder' ? folder.path : find(place)))
  for (const [name, content] of Object.entries(setup.files)) {
    const path = join(folder.path, name)
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) await folder.file(name, await places.value(content))
  }
  const env = (await places.value(setup.env)) as Record<string, string>
  const args = (await places.text(setup.run)).split(' ')
  const input = typeof setup.input === 'string' ? await places.text(setup.input) : setup.input
  const said = await run(args, input, { cwd: folder.path, env: { PATH: process.env['PATH'], ...env } })
  return look({ ...said, fill: (texts) => Promise.all(texts.map((text) => places.text(text))) })
}

async function run(
  args: readonly string[],
  input: string | Uint8Array,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Omit<Played, 'fill'>> {
  const child = start(args, options)
  const end = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout!.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr!.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin!.on('error', () => {})
  child.stdin!.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(end)
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
}

/** What is said where a case looks; '' when nothing is. */
export function told({ stdout, stderr }: Pick<Played, 'stdout' | 'stderr'>, at: Says['at']): Told {
  if (at === 'stdout') return { message: stdout, codes: codesIn(stdout) }
  if (at === 'stderr') return { message: stderr, codes: [] }
  const lines = jsonLines(stdout)
  if (at === 'CONNECTION_STATUS') {
    const status = lines.findLast(({ type }) => type === at)?.connectionStatus
    return { message: status?.message ?? '', codes: (status?.findings ?? []).map(({ code }) => code) }
  }
  if (at === 'log') {
    const error = lines.findLast(({ level }) => level === 'error')
    return { message: error?.message ?? '', kind: error?.kind, codes: [error?.code ?? ''] }
  }
  const error = lines.findLast(({ type }) => type === 'TRACE')?.trace?.error
  return { message: error?.message ?? '', kind: error?.failure_type, codes: [error?.code ?? ''] }
}

export interface Told {
  readonly message: string
  readonly kind?: string | undefined
  readonly codes: readonly string[]
}

/** Those of a text for people: at the ends of its findings. */
function codesIn(text: string): string[] {
  return [...text.matchAll(/\[([a-z-]+\.[a-z-]+)\]$/gm)].map(([, code]) => code!)
}

/** Messages of a kind; none where standard output is a text. */
export function countOf(stdout: string, type: string): number {
  return jsonLines(stdout).filter((line) => line.type === type).length
}

function jsonLines(text: string): Line[] {
  return text.startsWith('{')
    ? text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : []
}
