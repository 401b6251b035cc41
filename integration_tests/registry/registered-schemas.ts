// What a schema registry remembers: schemas by id, by GUID and by subject and version. Knows no HTTP.

import { createHash } from 'node:crypto'

export interface GivenReference {
  readonly name: string
  readonly subject: string
  readonly version: number
}

export interface GivenSchema {
  readonly schema: string
  /** Absent: AVRO. */
  readonly schemaType?: string | undefined
  readonly references?: readonly GivenReference[] | undefined
  readonly ruleSet?: unknown
}

export interface Registered extends GivenSchema {
  readonly id: number
  readonly guid: string
  readonly subject: string
  readonly version: number
}

export class RegisteredSchemas {
  readonly #subjects = new Map<string, Registered[]>()
  #nextId = 1

  /** The same schema has the same id and GUID everywhere, and one version in a subject.
   *  @param id in place of the next one */
  register(subject: string, given: GivenSchema, id?: number): Registered {
    const guid = guidOf(given)
    const versions = this.#subjects.get(subject) ?? []
    const known = versions.find((schema) => schema.guid === guid)
    if (known) return known
    const same = this.#all().find((schema) => schema.guid === guid)
    const version = (versions.at(-1)?.version ?? 0) + 1
    const registered = { ...given, id: id ?? same?.id ?? this.#nextId++, guid, subject, version }
    this.#nextId = Math.max(this.#nextId, registered.id + 1)
    this.#subjects.set(subject, [...versions, registered])
    return registered
  }

  byId(id: number): Registered | undefined {
    return this.#all().find((schema) => schema.id === id)
  }

  byGuid(guid: string): Registered | undefined {
    return this.#all().find((schema) => schema.guid === guid)
  }

  /** Oldest first; undefined: no such subject. */
  versions(subject: string): readonly Registered[] | undefined {
    return this.#subjects.get(subject)
  }

  subjects(): string[] {
    return [...this.#subjects.keys()]
  }

  find(subject: string, given: GivenSchema): Registered | undefined {
    const guid = guidOf(given)
    return this.versions(subject)?.find((schema) => schema.guid === guid)
  }

  #all(): Registered[] {
    return [...this.#subjects.values()].flat()
  }
}

function guidOf({ schema, schemaType = 'AVRO', references = [], ruleSet = null }: GivenSchema): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([schema, schemaType, references, ruleSet]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
