// Finds names in a config that are no options there, and says of each where it belongs, or which option was probably meant.

import type { z } from 'zod'
import { isObject } from '../json/is-object.ts'
import { MOST_SUGGESTIONS, nearestName } from '../text/nearest-name.ts'
import { pathText, type Findings, type Path } from './findings.ts'
import { optionsIn, type Option } from './schema-options.ts'

/** The origin of a config. file: written by hand, so every unknown name is a problem. form: made by a platform, which may add names of its
 *  own, so an unknown one is only warned of. But one that is nearly an option is a problem, in each group, and at the top if that option is
 *  `decisive`: what the user chose by a misspelt name would silently not be done. */
export type TreeOrigin = 'file' | { readonly form: { readonly decisive: ReadonlySet<string> } }

interface Group {
  readonly path: Path
  readonly names: readonly string[]
  /** The options of all groups that could stand in its place, where there are several to choose from. */
  readonly otherNames: readonly string[]
}

/** Options by the word that an Airbyte catalog uses for the same thing. */
const BY_CATALOG_WORD = new Map([['primary_key', 'keys']])

const OF_OTHER_CHOICE = '; it goes with another choice'
const WITHOUT_SPACE = 'must be followed by a colon and a space, and then its value'
const IS_WRAPPER = ', and it wraps the options: give its contents alone'

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

  /** Adds every member of a group in a config that is no option of the group to the findings, the first MOST_SUGGESTIONS with a hint. */
  find(value: object, { path, names, otherNames }: Group): void {
    // editors find the schema of a file by $schema
    const isKnown = (name: string): boolean => names.includes(name) || (path.length === 0 && name === '$schema')
    const unknown = Object.entries(value).filter(([name]) => !isKnown(name))
    for (const [index, [written, member]] of unknown.entries()) {
      const name = this.#origin === 'file' ? withoutValue(written) : written
      const isOfOther = otherNames.includes(name)
      const isHinted = index < MOST_SUGGESTIONS
      const near = isHinted && !isOfOther ? nearOption(name, names) : undefined
      const hintOf = (): string => (isOfOther ? OF_OTHER_CHOICE : this.#hint(name, member, near, path))
      const hint = isHinted ? hintOf() : ''
      if (this.#isProblem(name, member, near, path))
        this.#findings.add([...path, name], name !== written && isKnown(name) ? WITHOUT_SPACE : `is unknown${hint}`)
      else {
        const isWrapper = isObject(member) && names.some((option) => Object.hasOwn(member, option))
        const shown = pathText([...path, name])
        this.#findings.warnings.push(`unknown option \`${shown}\` ignored${isWrapper ? IS_WRAPPER : hint}`)
      }
    }
  }

  /** Whether an unknown name is a problem, and not a warning.
   *  @param near the option that was probably meant. `undefined` when no option is like it */
  #isProblem(name: string, value: unknown, near: string | undefined, path: Path): boolean {
    if (this.#origin === 'file') return true
    const isSlip = near !== undefined && (path.length > 0 || this.#origin.form.decisive.has(near))
    // null, an empty text, and names with $ or _ in front come from platforms, and are no slips
    return isSlip && value !== null && value !== '' && !/^[$_]/.test(name)
  }

  /** Words that follow "is unknown"; '' when nothing is known. */
  #hint(name: string, value: unknown, near: string | undefined, path: Path): string {
    this.#options ??= optionsIn(this.#schema)
    const whereItBelongs = homeOf(name, value, path, this.#options)
    // beside a place that is known, `near` is told only if the words for that place have it
    const isGuessed = near !== undefined && (whereItBelongs === undefined || whereItBelongs.includes(near))
    return `${whereItBelongs ?? ''}${isGuessed ? `; did you mean \`${near}\`?` : ''}`
  }
}

function nearOption(name: string, names: readonly string[]): string | undefined {
  return names.find((one) => one === BY_CATALOG_WORD.get(name)) ?? nearestName(name, names)
}

/** Words for the groups that have an option of that name, or else for the one group that has all members of the unknown `value`; groups
 *  inside the current one, at `path`, are preferred. `undefined` when there is none. */
function homeOf(name: string, value: unknown, path: Path, options: readonly Option[]): string | undefined {
  const here = path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.')
  const preferred = (places: readonly string[]): readonly string[] => {
    const within = places.filter((place) => place.startsWith(here === '' ? '' : `${here}.`))
    return within.length > 0 ? within : places
  }
  const homes = preferred(options.filter((option) => option.path.at(-1) === name).map(groupOf))
  if (homes.length > 0) return `; it is an option of ${homes.map(placeText).join(' or ')}`
  const members = isObject(value) ? Object.keys(value) : []
  if (members.length === 0) return undefined
  const byGroup = Map.groupBy(options, groupOf)
  const groups = [...byGroup].filter(([, all]) =>
    members.every((member) => all.some((one) => one.path.at(-1) === member)),
  )
  const [group, ...others] = preferred(groups.map(([place]) => place)).filter((place) => place !== here)
  return group === undefined || others.length > 0 ? undefined : `; its contents are options of ${placeText(group)}`
}

function groupOf({ path }: Option): string {
  return path.slice(0, -1).join('.')
}

function placeText(place: string): string {
  return place === '' ? 'the top level' : `\`${place.replaceAll('.[]', '[]')}\``
}

/** Cuts off a value, maybe a secret, that has no space before it: in `{ }` YAML takes `password:VALUE` or `password=VALUE` for a name. */
function withoutValue(name: string): string {
  return /^[^\s:=]*/.exec(name)![0]
}
