// Which policy holds for records that cannot be stored, made ready before data moves. A list of constructors.

import type { RejectsConfig } from '../../config/write-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import type { Rejects } from '../../core/types.ts'
import { fileIdentity } from '../../files/file-identity.ts'
import type { ReservedPath } from '../../telemetry/report/report-file.ts'
import { divertTo } from './divert-rejected.ts'
import type { Diverting } from './divert-rejected.ts'
import { failOnRejected } from './fail-on-rejected.ts'
import type { Origin } from '../origin.ts'
import type { Input } from '../../process/pipe-input.ts'
import { openRejectFile } from '../../rejects/reject-file.ts'
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
  /** Collects garbage, at once. */
  readonly collect: () => void
  /** Files that rejected records must not be added to, and what they are. */
  readonly reservedPaths: readonly ReservedPath[]
}

/** @throws ConnectorError config when the file cannot be appended to, or is a reserved path */
export async function rejectPolicy(config: RejectsConfig, parts: PolicyParts): Promise<RejectPolicy> {
  const { logKeys, onRejected, table, file: path } = config
  const diverting = { ...parts, logKeys }
  if (onRejected === 'fail')
    return { rejects: failOnRejected(diverting), keepsLines: false, place: undefined, [Symbol.asyncDispose]: nothing }
  if (path === undefined)
    return diverted(rejectTableSink(table, parts.maxRequestBytes, parts.collect), diverting, nothing)
  const { fd } = parts.input
  const input = fd === undefined ? undefined : await fileIdentity(fd)
  await keepApart(path, parts.reservedPaths)
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

async function keepApart(path: string, reservedPaths: PolicyParts['reservedPaths']): Promise<void> {
  const own = await fileIdentity(path)
  // opening it tells better what is wrong with it
  if (own === undefined) return
  for (const { file, what } of reservedPaths) {
    if ((await fileIdentity(file)) === own)
      throw new ConnectorError(
        'config',
        `The file ${JSON.stringify(path)} of rejected_file is ${what}, which rejected records would be added to. Give them a file of their own.`,
      )
  }
}
