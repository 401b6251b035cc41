// A kafkajs client that is connected when it is first needed. Knows no request.

/** @returns resolves when it is connected; after a failure the next call tries again */
export function connectOnce(client: { connect(): Promise<void> }): () => Promise<void> {
  let connecting: Promise<void> | undefined
  return async () => {
    connecting ??= client.connect()
    try {
      await connecting
    } catch (error) {
      connecting = undefined
      throw error
    }
  }
}
