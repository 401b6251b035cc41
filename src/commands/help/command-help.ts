// What a command says of itself: its options for the parser and their words for people, in one place so that they cannot
// drift. Types only.

export interface OptionHelp {
  readonly type: 'string' | 'boolean'
  /** May be given again and again. */
  readonly multiple?: true
  /** What stands for its value: FILE. Of texts only. */
  readonly value?: string
  /** The command does nothing without it. */
  readonly required?: true
  readonly says: string
  /** What holds when it is left out, if that is worth a word. */
  readonly otherwise?: string
}

export interface Example {
  readonly says: string
  /** A line for a shell. */
  readonly run: string
}

export interface CommandHelp {
  readonly name: string
  /** Behind the program's name, each a line. */
  readonly usage: readonly string[]
  readonly about: string
  readonly options: Readonly<Record<string, OptionHelp>>
  readonly examples: readonly Example[]
  /** Variables that change what it does. */
  readonly environment?: Readonly<Record<string, string>>
  readonly exits: Readonly<Record<string, string>>
  /** Where to read more. */
  readonly more: string
}
