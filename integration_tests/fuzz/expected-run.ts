// What is right: the verdicts on an input's lines, up to the one that stops the run. Uses nothing of the connector.

import { FAULTS, verdictOf, type Fault, type Verdict } from './oracle.ts'

export interface ExpectedLine {
  /** From 1. */
  readonly line: number
  readonly verdict: Exclude<Verdict, { kind: 'fault' }>
}

export interface ExpectedRun {
  readonly lines: readonly ExpectedLine[]
  /** What stops it, if anything does. */
  readonly fault: { readonly line: number; readonly fault: Fault } | undefined
}

const LINE_FEED = 10
const MARK = Buffer.from('\ufeff')

export function expectedRun(input: Buffer): ExpectedRun {
  const lines: ExpectedLine[] = []
  let from = 0
  for (let line = 1; from < input.length; line++) {
    const feed = input.indexOf(LINE_FEED, from)
    const to = feed === -1 ? input.length : feed
    const bytes = input.subarray(from, to)
    const isMarked = line === 1 && bytes.subarray(0, MARK.length).equals(MARK)
    const verdict = verdictOf(isMarked ? bytes.subarray(MARK.length) : bytes)
    if (verdict.kind === 'fault') return { lines, fault: { line, fault: verdict.fault } }
    lines.push({ line, verdict })
    from = to + 1
  }
  return { lines, fault: undefined }
}

/** What an error must say that stops a run at a line, and of which kind it is. */
export function wordsOf({ line, fault }: NonNullable<ExpectedRun['fault']>): { kind: string; words: string[] } {
  return {
    kind: fault === 'unknown stream' ? 'config' : 'system',
    words: [`Input line ${line} `, FAULTS[fault]],
  }
}
