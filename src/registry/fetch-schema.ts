// Fetches one schema and everything it refers to, one request after another. Caches nothing.

import type { RegistryResponse, RetryingClient } from './retrying-client.ts'
import { errorCode, readSchema, type GivenReference, type GivenSchema } from './read-response.ts'
import type { RegisteredSchema, SchemaId, SchemaReference, SchemaType } from './types.ts'
import { registryRefusal, notARegistry } from './registry-errors.ts'

/** Most schemas that one schema may lead to: a registry of endless references must not fill the memory. */
const MOST_SCHEMAS = 200
/** Most characters of their texts together. */
const MOST_TEXT = 16 * 1_048_576
const TYPES: readonly SchemaType[] = ['AVRO', 'PROTOBUF', 'JSON']
/** Every registry answers one of these paths with a list. */
const PROOFS = ['/schemas/types', '/subjects']

export interface FetchProblem {
  /** Words that follow "its schema 17". */
  readonly problem: string
  /** Whether it may be another one later. */
  readonly passes: boolean
}

export interface FetchedSchema {
  readonly schema: RegisteredSchema
  /** Types of rules that a reader should apply; they are not applied. */
  readonly rules: readonly string[]
}

export class SchemaFetcher {
  readonly #client: RetryingClient
  readonly #address: string
  /** A path that was answered with a schema: as long as it is, a registry is there. */
  #proof: string | undefined

  constructor(client: RetryingClient, address: string) {
    this.#client = client
    this.#address = address
  }

  /** Fetches it by one request at a time.
   *  @throws ConnectorError config when the registry refuses us, or none answers; signal.reason */
  async fetch(id: SchemaId, signal: AbortSignal): Promise<FetchedSchema | FetchProblem> {
    const path = typeof id === 'number' ? `/schemas/ids/${id}` : `/schemas/guids/${encodeURIComponent(id)}`
    const what = `schema ${id}`
    const answer = await this.#client.ask(path, signal)
    const given = await this.#read(answer, what, typeof id === 'number', signal)
    if ('problem' in given) return { ...given, problem: rootProblem(given.problem, id) }
    this.#proof = path
    const schema = await new References(this, signal).complete(given, [])
    return 'problem' in schema ? schema : { schema, rules: given.rules }
  }

  /** Fetches what a reference names, without what that refers to. Records may have been written by a version that is soft-deleted
   *  now; it is returned only with `deleted=true`. */
  async fetchVersion({ subject, version }: GivenReference, signal: AbortSignal): Promise<GivenSchema | FetchProblem> {
    const path = `/subjects/${encodeURIComponent(subject.toWellFormed())}/versions/${version < 1 ? 'latest' : version}`
    const what = versionOf(subject, version)
    const answer = await this.#client.ask(path, signal)
    const found = answer.status === 404 ? await this.#client.ask(`${path}?deleted=true`, signal) : answer
    return await this.#read(found, what, false, signal)
  }

  /** Reads an answer.
   *  @param what was asked for: "schema 17"
   *  @param isEverywhere every registry has this path: a refusal is about our access, not about the schema */
  async #read(
    answer: RegistryResponse,
    what: string,
    isEverywhere: boolean,
    signal: AbortSignal,
  ): Promise<GivenSchema | FetchProblem> {
    const { status } = answer
    if (status >= 200 && status < 300) return this.#given(answer, what)
    const code = errorCode(answer.body ?? '')
    if (status === 404) {
      if (code === undefined && !(await this.#isRegistry(signal))) throw registryRefusal(answer, what, this.#address)
      return { problem: `is not known to the registry (${code ?? 404})`, passes: true }
    }
    if (!isEverywhere && isAboutWhatWasAsked(status)) {
      return { problem: `is refused by the registry (${code ?? status})`, passes: true }
    }
    throw registryRefusal(answer, what, this.#address)
  }

  #given(answer: RegistryResponse, what: string): GivenSchema | FetchProblem {
    const { body } = answer
    if (answer.isCut && body?.trimStart().startsWith('{') === true) {
      return { problem: `is longer than the ${mebibytes(body.length)} MiB that are accepted`, passes: false }
    }
    const given = body === undefined || answer.isCut ? undefined : readSchema(body)
    if (given === undefined) throw notARegistry(answer, what, this.#address)
    return given
  }

  /** Whether there is a registry at this address: then a 404 means that it has no such schema. */
  async #isRegistry(signal: AbortSignal): Promise<boolean> {
    const proofs = this.#proof === undefined ? PROOFS : [this.#proof, ...PROOFS]
    for (const path of proofs) {
      const { status, body = '' } = await this.#client.ask(path, signal)
      if (status >= 200 && status < 300 && (path === this.#proof ? readSchema(body) !== undefined : isList(body)))
        return true
    }
    return false
  }
}

/** The registry may not understand what a record or another schema names: a fault of the reference, not of our access. */
function isAboutWhatWasAsked(status: number): boolean {
  return status === 501 || (status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 407)
}

/** A long one may be cut off. */
function isList(body: string): boolean {
  return body.trimStart().startsWith('[')
}

function mebibytes(length: number): string {
  return (length / 1_048_576).toFixed(0)
}

function versionOf(subject: string, version: number): string {
  return `version ${version} of subject ${shown(subject)}`
}

/** Text from outside, in one line of bounded length. */
function shown(text: string): string {
  const clean = text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?')
  return JSON.stringify(clean.length > 80 ? `${clean.slice(0, 79).toWellFormed()}…` : clean)
}

/** Says also what an id of 0 comes from: ids of 8 bytes begin with four zeroes. */
function rootProblem(problem: string, id: SchemaId): string {
  if (id !== 0) return problem
  return `${problem}; registries give no id 0: Apicurio's own serialisers write ids of 8 bytes unless told otherwise (apicurio.registry.id-handler: Legacy4ByteIdHandler)`
}

/** Resolves a schema's references, and theirs. */
class References {
  readonly #fetcher: SchemaFetcher
  readonly #signal: AbortSignal
  /** Schemas by subject and version, so that each is fetched once. */
  readonly #schemas = new Map<string, RegisteredSchema>()
  #asked = 0
  #text = 0

  constructor(fetcher: SchemaFetcher, signal: AbortSignal) {
    this.#fetcher = fetcher
    this.#signal = signal
  }

  /** Fetches what a schema refers to.
   *  @param path subjects and versions that lead to it */
  async complete(given: GivenSchema, path: readonly string[]): Promise<RegisteredSchema | FetchProblem> {
    const type = TYPES.find((known) => known === given.type.toUpperCase())
    if (type === undefined) {
      return { problem: `is of the type ${shown(given.type)}, and only ${TYPES.join(', ')} are read`, passes: false }
    }
    this.#text += given.text.length
    if (this.#text > MOST_TEXT) {
      return { problem: `is longer than ${mebibytes(MOST_TEXT)} MiB with all it refers to`, passes: false }
    }
    const references: SchemaReference[] = []
    for (const reference of given.references) {
      const schema = await this.#referredTo(reference, path)
      if ('problem' in schema) return schema
      references.push({ name: reference.name, schema })
    }
    return { type, text: given.text, references }
  }

  async #referredTo(reference: GivenReference, path: readonly string[]): Promise<RegisteredSchema | FetchProblem> {
    const { subject, version } = reference
    const key = JSON.stringify([subject, version])
    const known = this.#schemas.get(key)
    if (known) return known
    const what = versionOf(subject, version)
    if (path.includes(key)) return { problem: `refers to ${what}, which refers to itself`, passes: false }
    if (++this.#asked > MOST_SCHEMAS) return { problem: `refers to more than ${MOST_SCHEMAS} schemas`, passes: false }
    const given = await this.#fetcher.fetchVersion(reference, this.#signal)
    const schema = 'problem' in given ? given : await this.complete(given, [...path, key])
    if (!('problem' in schema)) this.#schemas.set(key, schema)
    // a problem further down names its place already
    else if (!schema.problem.startsWith('refers to '))
      return { ...schema, problem: `refers to ${what}, which ${schema.problem}` }
    return schema
  }
}
