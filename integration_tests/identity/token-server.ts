// A real token server on loopback, as a process of its own: it can be stopped, started again at its port, suspended, and told to do
// otherwise. Knows no case.

import { fork, type ChildProcess } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../kafka/free-port.ts'

/** What a token server may be told. `subjects`: whether each token names its owner anew. `delayMs`: before each answer. `status`:
 *  in place of an answer. `skewSeconds`: what its clock is ahead. */
export interface Behaviour {
  readonly seconds?: number
  readonly subjects?: 'same' | 'changing'
  readonly delayMs?: number
  readonly status?: number
  readonly audience?: string
  readonly skewSeconds?: number
}

export const CLIENT_SECRET = 'canary-secret +&=%/ client'

export class TokenServer implements AsyncDisposable {
  /** Requests for a token in all its lives. */
  asked = 0
  readonly port: number
  readonly #assertionKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  #behaviour: Behaviour
  #child: ChildProcess | undefined

  private constructor(port: number, behaviour: Behaviour) {
    this.port = port
    this.#behaviour = behaviour
  }

  static async start(behaviour: Behaviour = {}, port?: number): Promise<TokenServer> {
    const server = new TokenServer(port ?? (await freePorts(1))[0]!, behaviour)
    await server.start()
    return server
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get tokenUrl(): string {
    return `${this.issuer}/token`
  }

  get jwksUrl(): string {
    return `${this.issuer}/jwks`
  }

  /** At its port, with the keys it began with. */
  async start(): Promise<void> {
    const assertionKey = this.#assertionKey.publicKey.export({ format: 'jwk' })
    const key = { ...this.#key.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' }
    const given = { port: this.port, secret: CLIENT_SECRET, key, assertionKey, now: this.#behaviour }
    const file = fileURLToPath(new URL('token-server-program.js', import.meta.url))
    const child = fork(file, [JSON.stringify(given)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
    this.#child = child
    child.on('message', (message: { asked?: boolean }) => {
      if (message.asked !== undefined) this.asked++
    })
    const heard = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof heard[0] === 'number') throw new Error(`the token server ended with ${heard[0]}`)
  }

  /** Kills it. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async tell(behaviour: Behaviour): Promise<void> {
    this.#behaviour = { ...this.#behaviour, ...behaviour }
    await this.#say({ now: behaviour })
  }

  /** both: a new key is published, and not signed with yet. turn: it is, and the old one is published still. hard: a new one alone. */
  async rotate(keys: 'both' | 'turn' | 'hard'): Promise<void> {
    await this.#say({ keys })
  }

  /** What vouches for the client `vouched`. */
  assertion(seconds = 60): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: 'vouched', sub: 'vouched', aud: this.issuer, jti: randomUUID(), iat: now, exp: now + seconds }
    const parts = [{ alg: 'ES256', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const key = createPrivateKey(this.#assertionKey.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' })
    return [...parts, signature.toString('base64url')].join('.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #say(told: object): Promise<void> {
    const id = randomUUID()
    const child = this.#child!
    const done = new Promise<void>((resolve) => {
      const listen = (message: { done?: string }): void => {
        if (message.done !== id) return
        child.off('message', listen)
        resolve()
      }
      child.on('message', listen)
    })
    child.send({ ...told, id })
    await done
  }
}
