// A value that must not be shown: printing, inspecting or serialising it gives stars.

const MASK = '******'

/** Holds a secret text. Only `reveal()` gives it out, at the call that needs it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK
  }
}
