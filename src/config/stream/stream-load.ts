// The text of a config file of `stream` → a config that cannot be wrong, or everything that is wrong with it, at once, with
// lines. Knows the rules that join groups of options. Never quotes a secret; connects to nothing.

import { dirname } from 'node:path'

import { ConnectorError } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import type { Found } from '../findings.ts'
import { Findings, pathText } from '../findings.ts'
import { parseYaml } from '../parse-yaml.ts'
import { readTree } from '../read-tree.ts'
import { pemText } from '../pem.ts'
import { withoutSchemaName } from '../schema-name.ts'
import type { Surroundings } from '../references.ts'
import { rereading, resolveReferences } from '../references.ts'
import type { StreamConfig } from './stream-config.ts'
import { streamConfigOf } from './stream-config-of.ts'
import type { StreamOptions } from './stream-options.ts'
import { streamSchema } from './stream-options.ts'
import { STREAM_REFERENCES, strayedSecrets } from './stream-references.ts'
import { checkStream } from './stream-rules.ts'
import { placeInFile, withNullWords, writtenOut } from './stream-short-forms.ts'
import type { ServiceConfig } from '../write-config.ts'
import { worded } from '../worded.ts'

export interface StreamReading {
  /** Only if there are no problems. */
  readonly config: StreamConfig | undefined
  /** Each a sentence without its end, by line. */
  readonly problems: readonly string[]
  /** Each a sentence without its end. */
  readonly warnings: readonly string[]
  /** Every secret, whatever else is wrong, for the scrubber. */
  readonly secrets: readonly string[]
  /** Reads the file of `kafka.sasl.token` again; undefined: it is in none. */
  readonly rereadToken?: (() => Promise<string>) | undefined
}

export interface StreamFile {
  readonly env: Surroundings['env']
  /** The path of the config; where paths in it begin that are not absolute. */
  readonly file: string
  /** Is told every secret before anything else comes of it. */
  readonly learn: (secrets: readonly string[]) => void
}

/** Reads files the config refers to. Throws one ConnectorError (config) that lists every problem. */
export async function loadStreamConfig(
  text: string,
  { env, file, learn }: StreamFile,
): Promise<Omit<StreamReading, 'config' | 'problems'> & { readonly config: StreamConfig }> {
  const { config, problems, warnings, secrets, rereadToken } = await readStreamConfig(text, {
    env,
    folder: dirname(file),
  })
  learn(secrets)
  if (config !== undefined) return { config: withFreshToken(config, rereadToken, learn), warnings, secrets }
  const list = problems.map((problem) => `\n  ${problem}`).join('')
  throw new ConnectorError(
    'config',
    `The configuration ${JSON.stringify(file)} cannot be used (stream --example shows one that can):${list}`,
  )
}

/** @param learn is told each token before it is sent */
function withFreshToken(
  config: StreamConfig,
  reread: (() => Promise<string>) | undefined,
  learn: StreamFile['learn'],
): StreamConfig {
  const { sasl } = config.kafka
  if (reread === undefined || sasl?.mechanism !== 'oauthbearer') return config
  const readToken = async (): Promise<Secret> => {
    const token = await reread()
    learn([token])
    return new Secret(token)
  }
  return { ...config, kafka: { ...config.kafka, sasl: { ...sasl, readToken } } }
}

/** Never throws. */
export async function readStreamConfig(text: string, surroundings: Surroundings): Promise<StreamReading> {
  const parsed = parseYaml(text)
  if (parsed.problems.length > 0)
    return { config: undefined, problems: worded(parsed.problems), warnings: [], secrets: [] }
  const given = withoutSchemaName(withNullWords(parsed.value, parsed.isLeftEmpty))
  const { value, problems, secrets } = await resolveReferences(given, STREAM_REFERENCES, surroundings)
  const findings = new Findings()
  for (const [path, problem] of problems) findings.add(path, problem)
  const options = readTree(writtenOut(value), streamSchema, findings)
  const { service, warnings } = checkStream(options ?? {}, given, findings)
  const found = findings.problems.map(([path, problem]): Found => [placeInFile(path, given), problem])
  return {
    config:
      found.length > 0
        ? undefined
        : streamConfigOf(options as StreamOptions, service as ServiceConfig, surroundings.folder),
    problems: worded(
      Array.from(found, ([path, problem]) => ({ line: parsed.lineOf(path), text: sentence(path, problem) })),
    ),
    warnings,
    rereadToken: rereading(given, ['kafka', 'sasl', 'token'], surroundings.folder),
    secrets: [...new Set([...secrets, ...secrets.map(pemText), ...strayedSecrets(value)])],
  }
}

function sentence(...[path, problem]: Found): string {
  if (path.length > 0) return `\`${pathText(path)}\` ${problem}`
  return `the file ${problem}`
}
