// The options that say where a token is fetched, in `kafka.sasl` and in `schema_registry`: types, and the words an editor shows.

import { z } from 'zod'

import { certificates, oneHeader, readAgain } from '../option-types.ts'

export const oauthOptions = z.strictObject({
  token_url: z
    .string()
    .optional()
    .meta({
      title: 'Token address',
      description: 'Address that gives tokens (token_endpoint). Either this or the issuer.',
      examples: ['https://login.example.com/oauth2/token'],
    }),
  issuer: z
    .string()
    .optional()
    .meta({
      title: 'Issuer',
      description: 'Address of the issuer, below which its OpenID configuration names the token address.',
      examples: ['https://login.example.com/realms/data'],
    }),
  client_id: oneHeader.optional().meta({
    title: 'Client ID',
    description: 'Name of this program at the token server. Required.',
    examples: ['warehouse'],
  }),
  client_secret: readAgain('Client secret', 'Secret of that client.', 'fetch'),
  client_auth: z.enum(['basic', 'post']).optional().meta({
    title: 'Client authentication',
    description: 'How the secret is sent: in a header, or in the form. By default as the issuer says, else basic.',
  }),
  assertion: readAgain('Assertion', 'Instead of a secret: a token that vouches for this client.', 'fetch'),
  scope: oneHeader.optional().meta({ title: 'Scope', description: 'What the token is for, separated by spaces.' }),
  audience: oneHeader
    .optional()
    .meta({ title: 'Audience', description: 'Whom the token is for, where the server asks.' }),
  ...certificates('token server', 'in addition to'),
})
