// A run as it has told of itself so far: its facts and its record. The summary, and with it the report, is made of this alone.

import type { Code } from '../core/codes.ts'
import type { ErrorKind } from '../core/errors.ts'
import type { InputDigests } from './open-input.ts'
import type { LatencyFigures } from './request-durations.ts'
import type { CheckpointPlace, RunFacts } from './run-facts.ts'
import type { Sample } from './samples.ts'

/** Options that differ from their default: name, title, and value with its unit. None is secret. */
export type RunLimits = readonly (readonly [option: string, title: string, value: string])[]

/** How a run did over time, recorded by run-recorder.ts. Times are milliseconds since the run began. */
export interface RunRecord {
  /** Stretches in order, without a gap; bounded, however long the run is. */
  readonly samples: readonly Sample[]
  readonly latency: LatencyFigures | undefined
  /** When reading ended. `undefined` while it goes on. */
  readonly readUntil: number | undefined
  /** How far checkpoints reach, by partition; one for an input without partitions. */
  readonly places: readonly CheckpointPlace[]
  /** Committed checkpoints by the scope of their row. */
  readonly checkpoints: ReadonlyMap<unknown, number>
}

export type RunEnd =
  | { readonly how: 'running' | 'stopping' | 'done' | 'stopped' }
  | {
      readonly how: 'failed'
      readonly kind: ErrorKind
      readonly code?: Code | undefined
      readonly message: string
    }

/** The part that is known once the configuration is read and the input is open. */
export interface RunTold {
  /** host[:port] of the service; empty when nothing is sent. */
  readonly host: string
  readonly limits: RunLimits
  readonly facts: RunFacts
  readonly record: RunRecord
  readonly digests: Partial<InputDigests> & { readonly config: string | undefined }
}

/** A run as far as it has come: counts, names and words of this program, never a record's data. */
export interface RunSoFar {
  /** The command as on the command line, without options. */
  readonly command: string
  readonly runId: string
  /** The version of this program. */
  readonly version: string
  /** The commit it was built from. `undefined` when it was not built. */
  readonly commit: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The same moment by the clock of facts and samples. */
  readonly clockStart: number
  /** Milliseconds since 1970. */
  readonly writtenAt: number
  /** The time from the start until then, by that clock. */
  readonly elapsedMs: number
  readonly ended: RunEnd
  /** `undefined` when the run ended before that was known. */
  readonly told: RunTold | undefined
  /** The exit code of a run that was asked to stop. */
  readonly stopCode: number
}
