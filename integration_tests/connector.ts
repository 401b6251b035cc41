// Runs the real process as a platform does: files for config and catalog, messages on stdin, everything it says back.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program, by its sources. */
export const MAIN = new URL('../src/main.ts', import.meta.url).pathname

export interface Message {
  readonly type: string
  readonly [member: string]: unknown
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly lines: string[]
  readonly messages: Message[]
  readonly states: string[]
}

export interface WorkFolder extends AsyncDisposable {
  readonly path: string
  /** Writes a file into it; what is no text or buffer as JSON. */
  file(name: string, content: unknown): Promise<string>
}

/** A folder for one test, removed with it. */
export async function workFolder(): Promise<WorkFolder> {
  const path = await mkdtemp(join(tmpdir(), 'connector-'))
  return {
    path,
    async file(name, content) {
      const file = join(path, name)
      await writeFile(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content))
      return file
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Starts the connector. @param node the Node to run it on @param stdin a file descriptor instead of a pipe */
export function start(
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; node?: string; stdin?: number } = {},
): ChildProcess {
  return spawn(options.node ?? process.execPath, [MAIN, ...args], {
    stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe'],
    env: options.env ?? process.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
}

/** Everything a started connector says until it ends. */
export async function finished(child: ChildProcess): Promise<Finished> {
  const [out, err]: Buffer[][] = [[], []]
  child.stdout!.on('data', (chunk: Buffer) => out!.push(chunk))
  child.stderr!.on('data', (chunk: Buffer) => err!.push(chunk))
  child.stdin?.on('error', () => {})
  const [code] = (await once(child, 'close')) as [number | null]
  const stdout = Buffer.concat(out!).toString()
  // a killed process may leave half a line
  const lines = stdout.split('\n').slice(0, -1)
  const messages = lines.map((line) => JSON.parse(line) as Message)
  return {
    code,
    stdout,
    stderr: Buffer.concat(err!).toString(),
    lines,
    messages,
    states: lines.filter((_, i) => messages[i]!.type === 'STATE'),
  }
}

/** Runs it to its end with the given input. */
export async function run(
  args: readonly string[],
  input: string | Uint8Array = '',
  options: Parameters<typeof start>[1] = {},
): Promise<Finished> {
  const child = start(args, options)
  const done = finished(child)
  child.stdin!.end(input)
  return done
}

/** Runs a command whose output is no messages to its end. @returns both outputs as one text */
export async function told(
  args: readonly string[],
  options: Parameters<typeof start>[1] & { readonly input?: string } = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = start(args, options)
  let text = ''
  for (const output of [child.stdout!, child.stderr!]) output.on('data', (chunk: Buffer) => (text += String(chunk)))
  child.stdin!.on('error', () => {}).end(options.input ?? '')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

export interface Executed {
  readonly code: number | string | null
  readonly out: string
  readonly err: string
}

/** Runs any program to its end, with an empty input. @param env beside that of the test */
export function execute(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): Promise<Executed> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, env: { ...process.env, ...env } }, (error, out, err) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), out, err })
    })
    child.stdin!.on('error', () => {}).end()
  })
}
