// What happens to requests over the network, as far as it tells whether whoever is asked has stopped answering. Types only.

/** What failed, in words that people search for: "connection refused", "503 Service Unavailable". */
export interface NetworkCause {
  readonly words: string
  /** As the system calls it: ECONNREFUSED. */
  readonly code?: string | undefined
}

/** Each attempt begins once and ends once, in one of the other ways. */
export interface OutageEvents {
  began(): void
  /** Whatever was answered, the one who was asked is there. */
  answered(): void
  /** It is there, and wants fewer requests (429). */
  throttled(): void
  /** No answer came, or one that says that there is none to be had now (5xx): the attempt is made again.
   *  @param remedy whole sentences */
  failed(cause: NetworkCause, remedy?: string): void
  /** It ended for a reason that says nothing: broken off by this program, a connection that had been idle for too long. */
  ended(): void
}
