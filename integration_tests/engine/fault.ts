// What is planted: exact replacements, each of which must match once.

export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface Fault {
  readonly name: string
  readonly edits: readonly Edit[]
}
