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

/** The text behind "Bearer", in a header as in a login. */
export const BEARER = /^[\x21-\x7e]+$/

/** Gives the secret of a login, before each: files are renewed, and tokens expire.
 *  @param refused what a server did not accept; where tokens are fetched, another one is fetched then
 *  @throws NoSecretError when there is none just now */
export type ReadSecret = (refused?: Secret) => Promise<Secret>

/** A login has no secret just now, and may have one later, without a change of the config. */
export class NoSecretError extends Error {
  override readonly name = 'NoSecretError'
}
