// The options of the group `schema_registry` of `stream`: types, defaults, and the words an editor shows.

import { z } from 'zod'

import { certificates, filled, oneHeader, readAgain } from '../option-types.ts'
import { oauthOptions } from './oauth.ts'

export const registryOptions = z.strictObject({
  url: z.string().meta({
    title: 'Address',
    description: "Address of a registry with Confluent's interface, with its path, without user and password.",
    examples: ['https://registry.example.com', 'http://apicurio:8080/apis/ccompat/v7'],
  }),
  username: filled.optional().meta({
    title: 'User name',
    description: 'User name for basic authentication.',
  }),
  password: readAgain('Password', 'Password for basic authentication.', 'request'),
  token: readAgain('Token', 'Bearer token, instead of user name and password.', 'request'),
  oauth: z
    .preprocess((value) => (value === 'kafka' ? KAFKAS : value), oauthOptions.optional())
    .optional()
    .meta({
      title: 'OAuth',
      description: "Instead of a token: where to fetch one, as in kafka.sasl.oauth; kafka takes Kafka's.",
      also: { anyOf: [{ const: 'kafka' }] },
    }),
  logical_cluster: oneHeader.optional().meta({
    title: 'Logical cluster',
    description: 'Id of the registry at Confluent Cloud, sent beside a token (target-sr-cluster).',
    examples: ['lsrc-1234'],
  }),
  identity_pool_id: oneHeader.optional().meta({
    title: 'Identity pool',
    description: 'Id of the identity pool at Confluent Cloud, sent beside a token (Confluent-Identity-Pool-Id).',
    examples: ['pool-1234'],
  }),
  allow_insecure_http: z.boolean().default(false).meta({
    title: 'Allow unencrypted HTTP',
    description: 'Allow password or token to an http: address of another machine. They are then sent unencrypted.',
  }),
  ...certificates('registry', 'in addition to'),
})

/** Options of `oauth: kafka`, for the login that Kafka has: a group of its own is never empty, for it needs an address. */
const KAFKAS = {}

/** Whether `oauth` says `kafka`. */
export function isKafkas(oauth: object): boolean {
  return Object.values(oauth).every((value) => value === undefined)
}
