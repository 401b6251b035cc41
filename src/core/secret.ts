// A secret value that printing, inspecting or serialising shows as stars (`Secret`), and how a login gets the one it needs (`ReadSecret`).

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

/** A token that can stand behind "Bearer" in a header or in a SASL login. */
export const BEARER = /^[\x21-\x7e]+$/

/** Reads the secret of a login. Called before each login, because files are renewed and tokens expire.
 *  @param refused a secret that a server has just refused, so that a fetched token is replaced by another one
 *  @throws NoSecretError when there is none just now */
export type ReadSecret = (refused?: Secret) => Promise<Secret>

/** Thrown when a login has no secret just now, but may have one later without a change of the config. */
export class NoSecretError extends Error {
  override readonly name = 'NoSecretError'
}
