// Which policy holds for records that can not be stored, made ready before data moves. A list of constructors.

import { fstat } from 'node:fs'
import { promisify } from 'node:util'
import type { RejectsConfig } from '../config/write-config.ts'
import type { Rejects } from '../core/types.ts'
import { divertTo } from './divert-rejected.ts'
import type { Diverting } from './divert-rejected.ts'
import { failOnRejected } from './fail-on-rejected.ts'
import type { Origin } from './origin.ts'
import type { Input } from './pipe-input.ts'
import { openRejectFile } from './reject-file.ts'
import { rejectFileSink } from './reject-file-sink.ts'
import type { RejectSink } from './reject-sink.ts'
import { rejectTableSink } from './reject-table-sink.ts'

export interface RejectPolicy extends AsyncDisposable {
  readonly rejects: Rejects<Origin>
  /** Whether origins must be whole lines. */
  readonly keepsLines: boolean
  /** Where rejected records are, for people; undefined: nowhere. */
  readonly place: string | undefined
}

export interface PolicyParts extends Omit<Diverting, 'logKeys'> {
  readonly input: Input
  readonly maxRequestBytes: number
}

/** @throws ConnectorError config when the file can not be appended to */
export async function rejectPolicy(config: RejectsConfig, parts: PolicyParts): Promise<RejectPolicy> {
  const { logKeys, onRejected, table, file: path } = config
  const diverting = { ...parts, logKeys }
  if (onRejected === 'fail')
    return { rejects: failOnRejected(diverting), keepsLines: false, place: undefined, [Symbol.asyncDispose]: nothing }
  if (path === undefined) return diverted(rejectTableSink(table, parts.maxRequestBytes), diverting, nothing)
  const input = await identityOf(parts.input)
  const file = await openRejectFile(path)
  const sink = rejectFileSink(path, file, file.identity === input)
  return diverted(sink, diverting, async () => file[Symbol.asyncDispose]())
}

function diverted(sink: RejectSink, diverting: Diverting, dispose: () => Promise<void>): RejectPolicy {
  return {
    rejects: divertTo(sink, diverting),
    keepsLines: true,
    place: sink.place,
    [Symbol.asyncDispose]: dispose,
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/** As `RejectFile` tells it; undefined: the input is no open file. */
async function identityOf({ fd }: Input): Promise<string | undefined> {
  if (typeof fd !== 'number') return undefined
  const { dev, ino } = await promisify(fstat)(fd, { bigint: true })
  return `${dev}:${ino}`
}
