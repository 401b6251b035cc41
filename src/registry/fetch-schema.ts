// Fetches a schema from a registry, and all that it refers to, one request after another. Caches nothing.

import type { RegistryResponse, RetryingClient } from './retrying-client.ts'
import { errorCode, readSchema, type GivenReference, type GivenSchema } from './read-response.ts'
import type { RegisteredSchema, SchemaId, SchemaReference, SchemaType } from './types.ts'
import { registryRefusal, notARegistry } from './registry-errors.ts'

/** The most schemas that one schema may refer to, directly or not: a registry of endless references must not fill the memory. */
const MOST_SCHEMAS = 200
/** The most characters of a schema and all it refers to. */
const MOST_CHARACTERS = 16 * 1_048_576
const TYPES: readonly SchemaType[] = ['AVRO', 'PROTOBUF', 'JSON']
/** Paths that prove a registry: each registry answers one of them with a list. */
const PROOFS = ['/schemas/types', '/subjects']

/** Why a schema cannot be had, or not be read. */
export interface FetchProblem {
  /** Words that follow "its schema 17". */
  readonly problem: string
  /** Whether the registry may answer otherwise later. */
  readonly mayChange: boolean
}

export interface FetchedSchema {
  readonly schema: RegisteredSchema
  /** Types of the rules that a reader should apply to values, such as ENCRYPT. They are not applied; the caller warns of them. */
  readonly rules: readonly string[]
}

export class SchemaFetcher {
  readonly #client: RetryingClient
  readonly #address: string
  /** The path of a schema that the registry gave last. If it still gives that, a registry is there. `undefined` when it gave none yet. */
  #proof: string | undefined

  constructor(client: RetryingClient, address: string) {
    this.#client = client
    this.#address = address
  }

  /** Fetches a schema by its id, and all that it refers to.
   *  @throws ConnectorError config when the registry refuses us, or none answers; signal.reason */
  async fetch(id: SchemaId, signal: AbortSignal): Promise<FetchedSchema | FetchProblem> {
    const path = typeof id === 'number' ? `/schemas/ids/${id}` : `/schemas/guids/${encodeURIComponent(id)}`
    const answer = await this.#client.ask(path, signal)
    // older registries have no path for GUIDs
    const given = await this.#read(answer, { what: `schema ${id}`, isStandard: typeof id === 'number' }, signal)
    if ('problem' in given) return { ...given, problem: withHint(given.problem, id) }
    this.#proof = path
    const schema = await new References(this, signal).complete(given, [])
    return 'problem' in schema ? schema : { schema, rules: given.rules }
  }

  /** Fetches the schema that a reference names, without those that it refers to. A version below 1 means the latest. The schema may be
   *  soft-deleted since records were written by it; then the registry gives it only with `deleted=true`. */
  async fetchVersion({ subject, version }: GivenReference, signal: AbortSignal): Promise<GivenSchema | FetchProblem> {
    const path = `/subjects/${encodeURIComponent(subject.toWellFormed())}/versions/${version < 1 ? 'latest' : version}`
    const answer = await this.#client.ask(path, signal)
    const lastAnswer = answer.status === 404 ? await this.#client.ask(`${path}?deleted=true`, signal) : answer
    return await this.#read(lastAnswer, { what: versionOf(subject, version), isStandard: false }, signal)
  }

  /** Reads an answer: the schema, or its problem. Throws when the registry refuses us, or something else answers.
   *  @param what words for what was asked for: "schema 17"
   *  @param isStandard whether every registry has such a path: then a refusal is about our access, not about the schema */
  async #read(
    answer: RegistryResponse,
    { what, isStandard }: { what: string; isStandard: boolean },
    signal: AbortSignal,
  ): Promise<GivenSchema | FetchProblem> {
    const { status } = answer
    if (status >= 200 && status < 300) return this.#schemaIn(answer, what)
    const code = errorCode(answer.body ?? '')
    if (status === 404) {
      // a code of its own comes from a registry only; without one, anything may stand at this address
      if (code === undefined && !(await this.#isRegistry(signal))) throw registryRefusal(answer, what, this.#address)
      return { problem: `is not known to the registry (${code ?? 404})`, mayChange: true }
    }
    if (!isStandard && isAboutWhatWasAsked(status))
      return { problem: `is refused by the registry (${code ?? status})`, mayChange: true }
    throw registryRefusal(answer, what, this.#address)
  }

  #schemaIn(answer: RegistryResponse, what: string): GivenSchema | FetchProblem {
    const { body } = answer
    if (answer.isCut && body?.trimStart().startsWith('{') === true)
      return { problem: `is longer than the ${mebibytes(body.length)} MiB that are accepted`, mayChange: false }
    const given = body === undefined || answer.isCut ? undefined : readSchema(body)
    if (given === undefined) throw notARegistry(answer, what, this.#address)
    return given
  }

  /** Asks whether there is a registry at this address: then a 404 means that it has no such schema. */
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

/** Whether a status may say that the registry does not understand what was asked for: a fault of the reference, not of our access. */
function isAboutWhatWasAsked(status: number): boolean {
  return status === 501 || (status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 407)
}

/** Whether a body is a JSON list, the end of which may have been cut off. */
function isList(body: string): boolean {
  return body.trimStart().startsWith('[')
}

function mebibytes(length: number): string {
  return (length / 1_048_576).toFixed(0)
}

function versionOf(subject: string, version: number): string {
  return `version ${version} of subject ${shown(subject)}`
}

/** Quotes text from outside, in one line of bounded length: a `?` stands for what is no letter, number, punctuation, symbol or blank. */
function shown(text: string): string {
  const clean = text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?')
  return JSON.stringify(clean.length > 80 ? `${clean.slice(0, 79).toWellFormed()}…` : clean)
}

/** Adds to the problem of an id of 0 where such an id comes from: it is the beginning of an id of 8 bytes, four zeros. */
function withHint(problem: string, id: SchemaId): string {
  if (id !== 0) return problem
  return `${problem}; registries give no id 0: Apicurio's own serialisers write ids of 8 bytes unless told otherwise (apicurio.registry.id-handler: Legacy4ByteIdHandler)`
}

/** Fetches what one schema refers to, directly or not, within limits. */
class References {
  readonly #fetcher: SchemaFetcher
  readonly #signal: AbortSignal
  /** Schemas by subject and version (`key` of #referredTo), so that each is fetched once. */
  readonly #schemas = new Map<string, RegisteredSchema>()
  /** How many schemas were asked for. */
  #asked = 0
  #characters = 0

  constructor(fetcher: SchemaFetcher, signal: AbortSignal) {
    this.#fetcher = fetcher
    this.#signal = signal
  }

  /** Completes a schema with the schemas that it refers to.
   *  @param path the references that led to it (`key` of #referredTo), to notice a circle */
  async complete(given: GivenSchema, path: readonly string[]): Promise<RegisteredSchema | FetchProblem> {
    const type = TYPES.find((known) => known === given.type.toUpperCase())
    if (type === undefined)
      return { problem: `is of the type ${shown(given.type)}, and only ${TYPES.join(', ')} are read`, mayChange: false }
    this.#characters += given.text.length
    if (this.#characters > MOST_CHARACTERS)
      return { problem: `is longer than ${mebibytes(MOST_CHARACTERS)} MiB with all it refers to`, mayChange: false }
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
    if (path.includes(key)) return { problem: `refers to ${what}, which refers to itself`, mayChange: false }
    if (++this.#asked > MOST_SCHEMAS)
      return { problem: `refers to more than ${MOST_SCHEMAS} schemas`, mayChange: false }
    const given = await this.#fetcher.fetchVersion(reference, this.#signal)
    const schema = 'problem' in given ? given : await this.complete(given, [...path, key])
    if (!('problem' in schema)) this.#schemas.set(key, schema)
    // a problem further down names its place already
    else if (!schema.problem.startsWith('refers to '))
      return { ...schema, problem: `refers to ${what}, which ${schema.problem}` }
    return schema
  }
}
