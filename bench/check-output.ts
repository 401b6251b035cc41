// Says whether a program printed every checkpoint of its input. Knows no program: STATE lines on stdout are all it looks at.

import type { Input } from './generate.ts'

interface Message {
  readonly type?: string
  readonly trace?: { readonly type?: string }
  readonly state?: {
    readonly stream?: { readonly stream_descriptor?: { name?: string }; readonly stream_state?: { id?: number } }
  }
}

/** What is wrong, or undefined: every STATE printed once, in order within its stream, and no TRACE ERROR. */
export function checkOutput(stdout: string, { states }: Pick<Input, 'states'>): string | undefined {
  const newest = new Map<string, number>()
  let printed = 0
  for (const line of stdout.split('\n')) {
    if (line === '') continue
    const message = JSON.parse(line) as Message
    if (message.type === 'TRACE' && message.trace?.type === 'ERROR') return `a TRACE ERROR: ${line}`
    if (message.type !== 'STATE') continue
    printed++
    const stream = message.state?.stream?.stream_descriptor?.name
    const id = message.state?.stream?.stream_state?.id
    if (stream === undefined || id === undefined) return `a STATE without stream or id: ${line}`
    if (id <= (newest.get(stream) ?? 0))
      return `the STATE of ${stream} at ${id} came after the one at ${newest.get(stream)}`
    newest.set(stream, id)
  }
  return printed === states ? undefined : `${printed} of ${states} STATE messages were printed`
}
