// What interface A keeps, as its keeper sees it: kind, id, JSON text. Knows nothing of what is in the text.

export interface Entity {
  readonly kind: string
  readonly id: string
  /** Undefined: there is none of that kind and id any more. */
  readonly json: string | undefined
}

export interface EntityStore {
  /** All or none. They outlast what is to outlast them when it returns; throws when they cannot be kept. */
  put(entities: readonly Entity[]): void
  /** Everything that was kept before, in the order it first came. */
  entities(): Iterable<Entity & { readonly json: string }>
}

/** For a service that forgets: what lives in its memory is all there is. */
export const UNKEPT: EntityStore = { put: () => {}, entities: () => [] }
