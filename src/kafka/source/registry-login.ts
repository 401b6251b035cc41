// What a request to a schema registry says of who asks, and how that is renewed.

import type { RegistryLogin } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import { Scrubber } from '../../secrets/scrubber.ts'

/** The text behind "Bearer". */
const TOKEN = /^[\x21-\x7e]+$/
/** The header of `own`, which has no other source. */
const OWN = 'authorization'

export class RegistryAuthorization {
  readonly #login: RegistryLogin | undefined
  /** Knows user name and password as they are sent: one text in base64, whose letters are not those of the password alone. */
  readonly #own = new Scrubber()
  #sent: Secret | undefined
  /** The token in `#sent`, of those that are fetched. */
  #token: Secret | undefined

  /** @throws ConnectorError config when the token can be no token */
  constructor(login: RegistryLogin | undefined) {
    this.#login = login
    this.#sent = login && ('oauth' in login && login.oauth ? undefined : this.#made(login))
  }

  /** Needs no `this`. */
  readonly scrub = (text: string): string => this.#own.scrub(text)

  /** The value of the header `authorization`. `undefined` when there is no login.
   *  @throws Error when there is no token to send */
  async now(): Promise<Secret | undefined> {
    const login = this.#login
    if (login && 'oauth' in login && login.oauth) return this.#fetched(await login.again!())
    return this.#sent
  }

  /** Headers beside it: names and values in turn. */
  get beside(): readonly string[] {
    if (this.#login === undefined || 'username' in this.#login) return []
    const { logicalCluster, identityPoolId } = this.#login
    return [
      ...(logicalCluster === undefined ? [] : ['target-sr-cluster', logicalCluster]),
      ...(identityPoolId === undefined ? [] : ['confluent-identity-pool-id', identityPoolId]),
    ]
  }

  /** @param refused what `now` was when the registry refused it
   *  @returns another one, to ask with once more; `undefined` when there is none, or no file that can be read */
  async renewed(refused: Secret | undefined): Promise<Secret | undefined> {
    const login = this.#login
    if (this.#sent !== refused) return this.#sent
    if (login?.again === undefined) return undefined
    try {
      const secret = await login.again('oauth' in login ? this.#token : undefined)
      if ('oauth' in login && login.oauth) return secret === this.#token ? undefined : this.#fetched(secret)
      const read = this.#made('username' in login ? { ...login, password: secret } : { ...login, token: secret })
      if (read.reveal() === refused?.reveal()) return undefined
      return (this.#sent = read)
    } catch {
      // it may be half written: what the registry said is what the user gets to know
      return undefined
    }
  }

  /** The same header as long as it is the same token. */
  #fetched(token: Secret): Secret {
    if (token !== this.#token || this.#sent === undefined) this.#sent = this.#made({ ...this.#login, token })
    this.#token = token
    return this.#sent
  }

  #made(login: RegistryLogin): Secret {
    const text = headerOf(login)
    this.#own.learn([text.replace(/^\w+ /, '')], OWN)
    return new Secret(text)
  }
}

function headerOf(login: RegistryLogin): string {
  if ('username' in login) {
    const pair = Buffer.from(`${login.username}:${login.password.reveal()}`)
    return `Basic ${pair.toString('base64')}`
  }
  const token = (login.token?.reveal() ?? '').trim()
  if (TOKEN.test(token)) return `Bearer ${token}`
  throw new ConnectorError(
    'config',
    'config.option',
    'The token in schema_registry contains what no HTTP header can carry: a line break, a space or a non-ASCII character. Check it.',
  )
}
