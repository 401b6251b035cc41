// Why a value or a schema cannot be read, and where. Thrown inside the decoders only, which return it as a message.

/** A value is not what its schema says. Its words follow "its value" and hold nothing of it. */
export class ValueError extends Error {
  readonly #what: string
  readonly #fields: string[] = []

  /** @param what a verb and what it says, apart from the place: "holds …", or "ends", which the place completes */
  constructor(what: string) {
    super(what)
    this.#what = what
  }

  /** Each record adds its field on the way out, the innermost first. */
  within(field: string): this {
    this.#fields.push(field)
    return this
  }

  words(): string {
    const ends = this.#what === 'ends'
    if (this.#fields.length === 0) return ends ? 'ends too early' : this.#what
    return `${this.#what} ${ends ? 'within' : 'in'} field ${quoted(this.#path())}`
  }

  /** The path of the value; of a deep one the outermost and the innermost names. */
  #path(): string {
    const names = this.#fields.toReversed()
    return (names.length > 8 ? [...names.slice(0, 4), '…', ...names.slice(-3)] : names).join('.')
  }
}

/** A schema nothing can be read by. Its words follow "its schema 17". */
export class SchemaError extends Error {}

/** A name of a schema for a message: one line, not too long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 119)}…` : name)
}
