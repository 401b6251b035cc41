// The options of the group `schema_registry` of `stream`: types and the words an editor shows. Knows no rule that joins two
// options.

import { z } from 'zod'

export const registryOptions = z.strictObject({
  url: z.string().meta({
    title: 'Address',
    description:
      'Of a registry with the interface of Confluent, with the path it stands under, without user and password.',
    examples: ['https://registry.example.com', 'http://apicurio:8080/apis/ccompat/v7'],
  }),
  username: z.string().min(1).optional().meta({
    title: 'User name',
    description: 'For basic authentication, with the password.',
  }),
  password: z.string().min(1).optional().meta({
    title: 'Password',
    description: 'For basic authentication, with the user name.',
    airbyte_secret: true,
  }),
  token: z.string().min(1).optional().meta({
    title: 'Token',
    description: 'Sent as a bearer token, in place of user name and password.',
    airbyte_secret: true,
  }),
  allow_insecure_http: z.boolean().default(false).meta({
    title: 'Allow http',
    description:
      'Sends password or token to an http: address of another machine too. Others on the way can then read them.',
  }),
  ca_certificate: z.string().min(1).optional().meta({
    title: 'Authority certificate',
    description: 'PEM certificates to trust beside the usual authorities.',
    multiline: true,
  }),
  client_certificate: z.string().min(1).optional().meta({
    title: 'Client certificate',
    description: 'The PEM certificate to show to the registry. Goes together with the client key.',
    multiline: true,
  }),
  client_key: z.string().min(1).optional().meta({
    title: 'Client key',
    description: 'The private key of the client certificate, PEM, without a passphrase.',
    airbyte_secret: true,
  }),
})
