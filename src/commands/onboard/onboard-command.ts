// `onboard` from the command line: which options there are, and what is wrong usage.

import { ONBOARD_EXAMPLE } from '../../config/onboard/onboard-example.ts'
import type { Choices } from '../../onboarding/choices.ts'
import type { Creating } from '../../onboarding/journal-entries.ts'
import type { Clock } from '../../core/types.ts'
import { print } from '../help/print.ts'
import { CREATING } from '../../onboarding/journal-entries.ts'
import { ADOPT_OPTION } from '../../onboarding/questions.ts'
import type { Ended, Io } from '../../process/io.ts'
import { onboard } from './onboard.ts'

/** @returns 2 after a message about wrong usage; else as `onboard` */
export async function onboardCommand(values: Readonly<Record<string, unknown>>, io: Io, clock?: Clock): Promise<Ended> {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (values['example'] === true) return print(io, ONBOARD_EXAMPLE)
  const configFile = text('config')
  const choices = choicesOf(text, Array.isArray(values['not-created']) ? values['not-created'].map(String) : [])
  if (typeof choices === 'string') return misuse(io, choices)
  if (configFile === undefined) return misuse(io, 'onboard needs --config FILE; onboard --example prints one')
  const options = {
    configFile,
    journalFile: text('journal'),
    outputFile: text('output'),
    json: values['json'] === true,
    dryRun: values['dry-run'] === true,
    choices,
  }
  return await onboard(options, io, clock)
}

async function misuse(io: Io, message: string): Promise<number> {
  await io.stderr.write(`${message}. See onboard --help.\n`)
  return 2
}

/** A text: what is wrong. */
function choicesOf(text: (name: string) => string | undefined, notCreated: readonly string[]): Choices | string {
  const strange = notCreated.find((name) => !/^A(2|4|6|8|10)(#[1-9]\d{0,5})?$/.test(name))
  if (strange !== undefined) {
    return `onboard: --not-created takes ${CREATING.slice(0, -1).join(', ')} or ${CREATING.at(-1)}, as the question says`
  }
  const adopt: Partial<Record<Creating, number | string>> = {}
  for (const endpoint of CREATING) {
    const option = ADOPT_OPTION[endpoint]
    const given = text(option.slice(2))
    if (given === undefined) continue
    if (notCreated.some((name) => name.split('#')[0] === endpoint)) {
      return `onboard: ${option} and --not-created ${endpoint} contradict each other`
    }
    const id = endpoint === 'A10' ? given : /^\d{1,15}$/.test(given) ? Number(given) : ''
    if (id === '' || id === '.' || id === '..')
      return `onboard: ${option} takes ${endpoint === 'A10' ? 'an id' : 'a whole number'}`
    adopt[endpoint] = id
  }
  return { adopt, notCreated }
}
