// What is said of a name in a config that is no option there: where it belongs, or which option was probably meant.

import type { z } from 'zod'

import { isObject } from '../json/is-object.ts'
import { MOST_SUGGESTIONS, nearestName } from '../text/nearest-name.ts'
import { pathText, type Findings, type Path } from './findings.ts'
import { optionsIn, type Option } from './schema-options.ts'

/** Who wrote a config. file: a person, so every unknown name is a problem. form: a platform, which may add names, so an unknown one is
 *  a warning. But in a form too, a name that is nearly an option is a problem in a group, and at the top where that option is
 *  `decisive`: the choice of a misspelt option would be made otherwise, and not a word said. */
export type TreeOrigin = 'file' | { readonly form: { readonly decisive: ReadonlySet<string> } }

interface Group {
  readonly path: Path
  readonly names: readonly string[]
  /** Names of options that would be right with another choice. */
  readonly otherNames: readonly string[]
}

/** Options by the word that catalogs have for them. */
const IN_CATALOGS = new Map([['primary_key', 'keys']])

const OF_OTHER = '; it goes with another choice'
const UNDIVIDED = 'must be followed by a colon and a space, and then its value'
const WRAPPED = ', and it wraps the options: give its contents alone'

export class UnknownOptions {
  readonly #schema: z.ZodType
  readonly #findings: Findings
  readonly #origin: TreeOrigin
  /** Every option of the schema; computed at the first unknown name. */
  #options: readonly Option[] | undefined

  constructor(schema: z.ZodType, findings: Findings, origin: TreeOrigin) {
    this.#schema = schema
    this.#findings = findings
    this.#origin = origin
  }

  /** Adds every member of `value` that is no option of the group to the findings. Only the first few get a hint. */
  find(value: object, { path, names, otherNames }: Group): void {
    // editors find the schema of a file by $schema
    const isKnown = (name: string): boolean => names.includes(name) || (path.length === 0 && name === '$schema')
    const unknown = Object.entries(value).filter(([name]) => !isKnown(name))
    for (const [at, [given, member]] of unknown.entries()) {
      const name = this.#origin === 'file' ? withoutValue(given) : given
      const isOfOther = otherNames.includes(name)
      const isHinted = at < MOST_SUGGESTIONS
      const near = isHinted && !isOfOther ? nearOption(name, names) : undefined
      const hintOf = (): string => (isOfOther ? OF_OTHER : this.#hint(name, member, near, path))
      const hint = isHinted ? hintOf() : ''
      if (this.#isProblem(name, member, near, path))
        this.#findings.add([...path, name], name !== given && isKnown(name) ? UNDIVIDED : `is unknown${hint}`)
      else {
        const isWrapper = isObject(member) && names.some((option) => Object.hasOwn(member, option))
        const shown = pathText([...path, name])
        this.#findings.warnings.push(`unknown option \`${shown}\` ignored${isWrapper ? WRAPPED : hint}`)
      }
    }
  }

  /** @param near the option that was probably meant */
  #isProblem(name: string, value: unknown, near: string | undefined, path: Path): boolean {
    if (this.#origin === 'file') return true
    const isDecisive = near !== undefined && (path.length > 0 || this.#origin.form.decisive.has(near))
    return isDecisive && value !== null && value !== '' && !/^[$_]/.test(name)
  }

  #hint(name: string, value: unknown, near: string | undefined, path: Path): string {
    this.#options ??= optionsIn(this.#schema)
    const home = homeOf(name, value, path, this.#options)
    const isGuessed = near !== undefined && (home === undefined || home.includes(near))
    return `${home ?? ''}${isGuessed ? `; did you mean \`${near}\`?` : ''}`
  }
}

function nearOption(name: string, names: readonly string[]): string | undefined {
  return names.find((one) => one === IN_CATALOGS.get(name)) ?? nearestName(name, names)
}

/** The place where an option of that name belongs, or the group that has all members of an unknown group. `undefined`
 *  when there is none. Places inside the current group come first. */
function homeOf(name: string, value: unknown, path: Path, options: readonly Option[]): string | undefined {
  const here = path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.')
  const inPath = (places: readonly string[]): readonly string[] => {
    const within = places.filter((place) => place.startsWith(here === '' ? '' : `${here}.`))
    return within.length > 0 ? within : places
  }
  const homes = inPath(options.filter((option) => option.path.at(-1) === name).map(groupOf))
  if (homes.length > 0) return `; it is an option of ${homes.map(placeText).join(' or ')}`
  const members = isObject(value) ? Object.keys(value) : []
  if (members.length === 0) return undefined
  const byGroup = Map.groupBy(options, groupOf)
  const groups = [...byGroup].filter(([, all]) =>
    members.every((member) => all.some((one) => one.path.at(-1) === member)),
  )
  const [group, ...others] = inPath(groups.map(([place]) => place)).filter((place) => place !== here)
  return group === undefined || others.length > 0 ? undefined : `; its contents are options of ${placeText(group)}`
}

function groupOf({ path }: Option): string {
  return path.slice(0, -1).join('.')
}

function placeText(place: string): string {
  return place === '' ? 'the top level' : `\`${place.replaceAll('.[]', '[]')}\``
}

/** Between `{ }`, YAML takes `password:VALUE` and `password=VALUE` for a name, and the value may be a secret. */
function withoutValue(name: string): string {
  return /^[^\s:=]*/.exec(name)![0]
}
