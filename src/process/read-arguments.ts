// Reads the arguments of a command as values of its options, or says what is wrong. Quotes none that may be a secret in the wrong place.

import { parseArgs } from 'node:util'
import { nearestName } from '../text/nearest-name.ts'

export interface ArgumentOption {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  /** The word that stands for its value in messages: FILE. VALUE when absent. */
  readonly value?: string
}

export type ArgumentOptions = Readonly<Record<string, ArgumentOption>>
export type ArgumentValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** The value of an option that takes a text. `undefined` when it is not given. */
export function argumentText(values: ArgumentValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Values of an option that may be given several times. `undefined` when it is not given. */
export function argumentTexts(values: ArgumentValues, name: string): string[] | undefined {
  const value = values[name]
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type OptionToken = Extract<Token, { kind: 'option' }>

/** An argument that messages may quote, as it is too short and plain for a key; any other may be one in the wrong place. */
export const WORD = /^[a-z][a-z-]{0,15}$/
/** A dash and a letter, which is no secret either. */
const LETTER = /^-[a-z]$/i
/** The name of a file that may be a configuration. Messages may quote it, as no key ends like that. */
const FILE = /^[\w./\\-]{1,80}\.(?:jsonl?|ya?ml)$/
/** Longer dashes, which text editors put in place of `--`. */
const DASHES = /^[\u2010-\u2015\u2212]+/
/** Fewest letters that are taken for the beginning of an option's name. */
const LEAST_BEGINNING = 3

/** Reads the arguments behind a command. Never throws. @returns the values by name, or the first problem as a sentence */
export function readArguments(
  args: readonly string[],
  options: ArgumentOptions,
): { values: ArgumentValues; problem?: undefined } | { problem: string } {
  const parsable = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  )
  const { values, tokens } = parseArgs({
    args: [...args],
    options: parsable,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const seenNames = new Set<string>()
  for (const token of tokens) {
    const problem = problemOf(token, args, options, seenNames)
    if (problem !== undefined) return { problem }
  }
  return { values }
}

/** Says what is wrong with an argument. `undefined` when nothing is. @param seenNames options given before, to which this one is added */
function problemOf(
  token: Token,
  args: readonly string[],
  options: ArgumentOptions,
  seenNames: Set<string>,
): string | undefined {
  if (token.kind === 'option-terminator') return undefined
  if (token.kind === 'positional') return strayProblem(token.value, options)
  // no option has a name of one letter, so `-c` is unknown
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
  if (option === undefined || !token.rawName.startsWith('--')) return unknownProblem(args[token.index] ?? '', options)
  const isRepeated = seenNames.has(token.name)
  seenNames.add(token.name)
  if (option.type === 'boolean') {
    return token.inlineValue === true ? `--${token.name} takes no value: leave out what follows the =.` : undefined
  }
  if (isRepeated && option.multiple !== true) return `--${token.name} is given twice: give it once.`
  return valueProblem(token, option, options)
}

function valueProblem(token: OptionToken, option: ArgumentOption, options: ArgumentOptions): string | undefined {
  const { name, value, inlineValue } = token
  const shown = `--${name} ${option.value ?? 'VALUE'}`
  if (value === undefined) return `--${name} needs a value: ${shown}.`
  if (value === '') return `The value of --${name} is empty (a variable that is not set, perhaps): ${shown}.`
  if (inlineValue || value === '-' || !value.startsWith('-')) return undefined
  // it has no `=` and begins with a dash, so it may be the next option
  const next = nameIn(value)
  return Object.hasOwn(options, next)
    ? `--${name} needs a value, and --${next} follows: ${shown}.`
    : `--${name} needs a value: ${shown}. One that begins with a dash is written --${name}=${option.value ?? 'VALUE'}.`
}

function unknownProblem(argument: string, options: ArgumentOptions): string {
  const name = nameIn(argument)
  if (LETTER.test(argument)) {
    const begun = [...Object.keys(options), 'help'].filter((known) => known.startsWith(name))
    return `Unknown option ${argument}${question(begun)}`
  }
  const near = nearestOption(name, options)
  const isShown = WORD.test(name) && argument.startsWith('--')
  return `Unknown option${isShown ? ` --${name}` : ''}${question(near === undefined ? [] : [near])}`
}

/** Ends a sentence by the names that may be meant. */
function question(names: readonly string[]): string {
  return names.length === 0 ? '.' : `; did you mean ${names.map((name) => `--${name}`).join(' or ')}?`
}

function strayProblem(argument: string, options: ArgumentOptions): string {
  const near = DASHES.test(argument) || WORD.test(argument) ? nearestOption(nameIn(argument), options) : undefined
  const shown = WORD.test(argument) ? `: ${argument}` : ''
  if (Object.keys(options).length === 0) return `It takes no arguments, and found one${shown}. Leave it out.`
  const text = 'There is an argument without an option'
  if (FILE.test(argument) && 'config' in options)
    return `${text}: ${JSON.stringify(argument)}. Did you mean --config ${argument}?`
  if (near !== undefined) return `${text}${shown}; did you mean --${near}?`
  return 'config' in options ? `${text}${shown}. A configuration is given by --config FILE.` : `${text}${shown}.`
}

/** The name in `--name=value`. */
function nameIn(argument: string): string {
  return argument
    .replace(DASHES, '')
    .replace(/^-+/, '')
    .replace(/=[^]*$/, '')
}

/** The only option that begins like `name`, else the one that is spelt most like it. `undefined` when none is near. */
function nearestOption(name: string, options: ArgumentOptions): string | undefined {
  const names = [...Object.keys(options), 'help']
  const begun = name.length < LEAST_BEGINNING ? [] : names.filter((known) => known.startsWith(name))
  return begun.length === 1 ? begun[0] : nearestName(name, names)
}
