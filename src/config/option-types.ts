// Options, and types of options as zod schemas, that several commands share.

import { z } from 'zod'
import { Secret } from '../core/secret.ts'
import { pemText } from './tls.ts'

export const secondsBetween = (least: number, most: number) => z.number().min(least).max(most)
export const whole = (least: number, most: number) => z.int().min(least).max(most)

export const filled = z.string().min(1)

/** The option of a single stream or topic that overrides a general option of the same name. It has no default.
 *  @param words what its description ends with */
export const overriding = <Inner extends z.ZodType>(
  general: z.ZodOptional<Inner> | z.ZodDefault<Inner>,
  words = '',
): z.ZodOptional<Inner> =>
  general
    .unwrap()
    .optional()
    .meta({ title: general.meta()!.title!, description: `Overrides the general option of this name${words}.` })

/** The message "must be …" for a wrong value. A missing one gets the usual message (`undefined`). */
export const must = (what: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? undefined : `must be ${what}`),
})

/** A name that a broker is told: of a consumer group, a client or a user. */
export const oneLine = filled
  .max(249)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/, { error: 'must be one line of text without control characters' })

/** A text that is sent beside a token, in an HTTP header or a login. */
export const oneHeader = filled.max(249).regex(/^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/, {
  error: 'must be printable ASCII in one line, without spaces around it',
})

export const tableName = z
  .string()
  .regex(/^[A-Za-z0-9_]+$/, { error: 'may hold letters (A–Z, a–z), digits and _ only' })

/** A table for rows of a stream or topic. */
export const ownTable = tableName.refine((name) => name.toLowerCase() !== 'rejected_records', {
  error: 'is a name reserved for rejected records',
})

export const secret = filled.transform((text) => new Secret(text))

/** The option for a secret of a login; a file that gives it is read anew at each `use`. `what` describes it, `more` is other metadata. */
export const reloadedSecret = (title: string, what: string, use: 'login' | 'fetch' | 'request', more: object = {}) =>
  secret.optional().meta({
    title,
    description: `${what} Its file is read again at each ${use}.`,
    airbyte_secret: true,
    ...more,
  })

const pem = filled.transform(pemText)
const secretPem = filled.transform((text) => new Secret(pemText(text)))

/** The message for a text that is not `isNameOrPointer`. */
export const pointerFault = {
  error: 'has a ~ without a 0 or 1 after it: in a path that begins with /, ~0 stands for ~ and ~1 for /',
}

/** Whether a text is a member's name, or a JSON Pointer without a fault. */
export function isNameOrPointer(text: string): boolean {
  return !text.startsWith('/') || !/~(?![01])/.test(text)
}

/** Makes names, from a value down, of a path in any of its forms: a list of names, a text that begins with / (a JSON Pointer, RFC 6901), or
 *  any other text, which is the name of one member. */
export function keyPathOf(path: string | readonly string[]): readonly string[] {
  if (typeof path !== 'string') return path
  if (!path.startsWith('/')) return [path]
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export const keepLast = z.boolean().default(true).meta({
  title: 'Send only the latest version',
  description:
    'Of several versions of a row that wait together, send only the last. Otherwise every version is sent, one after another.',
})

/** Metadata for forms (spec/). `multiline` also means that the option may be a file (references.ts). */
const PEM = {
  multiline: true,
  pattern: '-----BEGIN [A-Z0-9 ]+-----',
  pattern_descriptor: 'PEM text, from its BEGIN to its END line',
}

/** The options for TLS certificates.
 *  @param peer what the client certificate is shown to
 *  @param trusted whether authorities that are given add to the usual ones or replace them */
export const certificates = ({ peer, trusted }: { peer: string; trusted: 'in addition to' | 'instead of' }) => ({
  ca_certificate: pem.optional().meta({
    title: 'CA certificate',
    description: `CA certificates (PEM) to trust ${trusted} the usual ones.`,
    ...PEM,
  }),
  client_certificate: pem.optional().meta({
    title: 'Client certificate',
    description: `Client certificate (PEM) for the ${peer}. Needs the client key.`,
    ...PEM,
  }),
  client_key: secretPem.optional().meta({
    title: 'Client key',
    description: 'Private key of the client certificate (PEM), without a passphrase.',
    airbyte_secret: true,
    ...PEM,
  }),
})
