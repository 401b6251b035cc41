// As which member a group may hold a place for a client, by the requests of that client. Knows no socket.

export class GroupPlace {
  #memberId: string | undefined
  /** A join as nobody is under way: its answer brings an id, and the next request shows it. */
  #naming: PromiseWithResolvers<void> | undefined

  /** Undefined: none that is known. */
  get memberId(): string | undefined {
    return this.#memberId
  }

  /** A join goes out. @param memberId '' : as nobody yet */
  joining(memberId: string): void {
    this.known(memberId)
    if (memberId === '') this.#naming = Promise.withResolvers()
  }

  /** @param memberId '' : the client is nobody in its group */
  known(memberId: string): void {
    this.#memberId = memberId === '' ? undefined : memberId
    this.unanswered()
  }

  /** No answer comes any more to a join as nobody, if one was under way. */
  unanswered(): void {
    this.#naming?.resolve()
    this.#naming = undefined
  }

  /** Resolves when no id is on its way. */
  async named(): Promise<void> {
    await this.#naming?.promise
  }
}
