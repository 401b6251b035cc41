// Broken set-ups and what each must say, from the files beside this one: an area a file. Knows neither how they are played
// nor what the connector says today.

import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { CODES, type Code } from '../../src/core/codes.ts'

const texts = z.array(z.string().min(1)).min(1)

/** What an output must hold, in any case of letters: every one of the texts, in which … stands for anything. */
const says = z.strictObject({
  /** Where it is said: the one message of `check`, the one TRACE ERROR of `write`, the last error of the log of `stream`, or
   *  all of a stream. */
  at: z.enum(['CONNECTION_STATUS', 'TRACE', 'log', 'stdout', 'stderr']),
  /** `failure_type` of a TRACE ERROR, `kind` of an error in the log. */
  kind: z.string().optional(),
  /** Of what is quoted; only `serve`, `onboard` and wrong usage have none. */
  code: z.enum(Object.keys(CODES) as [Code, ...Code[]]).optional(),
  exit: z.int(),
  /** Fields, options, files, streams, lines, addresses. */
  names: texts,
  found: texts,
  /** What to do. */
  todo: texts,
  /** As docs/troubleshooting.md has it. */
  quoted: z.string().min(1),
})

/** Texts may hold places such as {{service}} (integration_tests/broken-setups/places.ts). */
const setup = {
  /** Arguments, with blanks between them; the process starts in a folder that holds `files`. */
  run: z.string(),
  /** A text, or what is written as JSON. A name that ends with a slash is a folder. */
  files: z.record(z.string(), z.unknown()).default({}),
  /** Beside these only PATH is set. */
  env: z.record(z.string(), z.string()).default({}),
  input: z.union([z.string(), z.instanceof(Uint8Array)]).default(''),
  /** No output may hold them, nor the keys of the local service. */
  secrets: z.array(z.string()).default([]),
  /** Of the local service: scripted faults, and how its jobs go. */
  faults: z.array(z.record(z.string(), z.unknown())).default([]),
  plans: z.record(z.string(), z.unknown()).default({}),
  maxBody: z.int().optional(),
  /** In {{topic}}. */
  records: z.array(z.record(z.string(), z.union([z.string(), z.instanceof(Uint8Array)]))).default([]),
}

const goodSetup = z.object({ ...setup, exit: z.int() })
const brokenSetup = z.strictObject({
  name: z.string().min(1),
  ...setup,
  /** STATE lines that are printed all the same. */
  states: z.int().default(0),
  says,
})

export type Setup = Omit<z.output<typeof goodSetup>, 'exit'>
export type BrokenSetup = z.output<typeof brokenSetup>
export type Says = z.output<typeof says>

export interface Area {
  readonly name: string
  /** What the cases break, whole: it ends with `exit`. */
  readonly good: z.output<typeof goodSetup>
  readonly cases: readonly BrokenSetup[]
}

const FOLDER = new URL('.', import.meta.url)

/** By name. @throws when a file breaks the rules above */
export function readAreas(): Area[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readArea(file.slice(0, -'.yaml'.length)))
}

/** @param name of the file, without its ending */
export function readArea(name: string): Area {
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')
  const parsed: unknown = parse(text, { merge: true, customTags: ['binary'] })
  const area = z.strictObject({ good: goodSetup, cases: z.array(brokenSetup) }).safeParse(parsed)
  if (!area.success) throw new Error(`${name}.yaml: ${z.prettifyError(area.error)}`)
  return { name, ...area.data }
}

/** Whether a text is there: case-blind, white space is white space, … is anything. */
export function holds(said: string, wanted: string): boolean {
  const text = flat(said)
  let from = 0
  for (const part of flat(wanted).split('…')) {
    const at = text.indexOf(part.trim(), from)
    if (at < 0) return false
    from = at + part.trim().length
  }
  return true
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').toLowerCase()
}
