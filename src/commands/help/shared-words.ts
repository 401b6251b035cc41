// Words that several commands say. Text only.

export const LOG_LEVEL =
  'debug, info, warn or error, in small letters or capitals; info when it is left out. debug tells a line a request: never data, never the key.'

export const PROXY =
  'The way to the service, in small letters or capitals. This machine is never reached through a proxy.'

/** What a process that was stopped ends with. */
export const STOPPED: Readonly<Record<string, string>> = {
  129: 'its terminal was closed (SIGHUP)',
  130: 'interrupted (Ctrl-C)',
  143: 'told to end (SIGTERM)',
}

export const MISUSE: Readonly<Record<string, string>> = { 2: 'wrong usage' }

/** @param names how a config that has it beside it names it: what follows "the config" */
export const schemaWords = (names: string): string =>
  `Print the JSON Schema of its config. Editors know every option once it stands beside the config, as schema.json, and the config ${names}`

/** Lines to be copied are not broken: their spaces are none to break at. */
export const NAMES_IN_YAML = 'begins with #\u00a0yaml-language-server:\u00a0$schema=schema.json'
export const NAMES_IN_JSON = 'has the member "$schema":\u00a0"schema.json".'
