// Why a value or a schema cannot be read, and where. These errors are thrown inside the decoders only, which return the words.

/** A value is not what its schema says. Its words follow "its value", and show nothing of the value. */
export class ValueError extends Error {
  readonly #what: string
  readonly #fields: string[] = []

  /** @param what the fault, without its place, as words that begin with a verb: "holds a negative length"; "ends" if bytes are missing */
  constructor(what: string) {
    super(what)
    this.#what = what
  }

  /** Adds the name of the field that the fault is in. Each record around it calls this and throws the error on, the innermost first. */
  within(field: string): this {
    this.#fields.push(field)
    return this
  }

  /** The fault and its place, for a message. */
  words(): string {
    const ends = this.#what === 'ends'
    if (this.#fields.length === 0) return ends ? 'ends too early' : this.#what
    return `${this.#what} ${ends ? 'within' : 'in'} field ${quoted(this.#path())}`
  }

  /** The names of the fields, the outermost first; of a long path only those at both ends. */
  #path(): string {
    const names = this.#fields.toReversed()
    return (names.length > 8 ? [...names.slice(0, 4), '…', ...names.slice(-3)] : names).join('.')
  }
}

/** A schema by which nothing can be read. Its message follows "its schema 17". */
export class SchemaError extends Error {}

/** A name of a schema for a message: one line, not too long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 119)}…` : name)
}
