// The options of the group `kafka` of `stream`: types, bounds, defaults, and the words an editor shows. Knows no rule that
// joins two options.

import { z } from 'zod'

const seconds = (least: number, most: number) => z.number().min(least).max(most)

/** Of a group's or a client's name. */
const name = z
  .string()
  .min(1)
  .max(249)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/, { error: 'must be one line of text without control characters' })

const broker = z
  .string()
  .regex(/^[A-Za-z0-9._-]+:0*[1-9]\d{0,4}$/, {
    error: 'must be a host name (or IPv4 address) and a port, as in kafka.example.com:9092, without a scheme',
  })
  .refine((text) => Number(/\d+$/.exec(text)?.[0]) < 65_536, { error: 'has a port above 65535' })

const tls = z.strictObject({
  ca_certificate: z.string().min(1).optional().meta({
    title: 'Authority certificate',
    description: 'PEM certificates to trust instead of the usual authorities.',
    multiline: true,
  }),
  client_certificate: z.string().min(1).optional().meta({
    title: 'Client certificate',
    description: 'The PEM certificate to show to the brokers. Goes together with the client key.',
    multiline: true,
  }),
  client_key: z.string().min(1).optional().meta({
    title: 'Client key',
    description: 'The private key of the client certificate, PEM, without a passphrase.',
    airbyte_secret: true,
  }),
})

const sasl = z.strictObject({
  mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']).meta({
    title: 'Mechanism',
    description: 'How this member proves who it is; in any case of letters.',
    also: { enum: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] },
  }),
  username: name.optional().meta({ title: 'User name', description: 'For every mechanism but oauthbearer.' }),
  password: z.string().min(1).optional().meta({
    title: 'Password',
    description: 'For every mechanism but oauthbearer.',
    airbyte_secret: true,
  }),
  token: z.string().min(1).optional().meta({
    title: 'Token',
    description: 'For oauthbearer: sent as it stands. Its file is read again at each login.',
    airbyte_secret: true,
  }),
})

export const kafkaOptions = z.strictObject({
  brokers: z
    .array(broker)
    .min(1)
    .meta({
      title: 'Brokers',
      description:
        'Some brokers of the cluster, each host:port; the others are found. A text with commas between them too.',
      examples: [['kafka-1.example.com:9092', 'kafka-2.example.com:9092']],
      also: { type: 'string', minLength: 1 },
    }),
  group: name.meta({
    title: 'Consumer group',
    description: 'Members of one group share the partitions; offsets are committed in its name.',
    examples: ['warehouse'],
  }),
  client_id: name.default('destination-analytics-service').meta({
    title: 'Client ID',
    description: "What the brokers' logs and quotas call this member.",
  }),
  session_timeout_seconds: seconds(1, 1_800).default(30).meta({
    title: 'Session timeout (seconds)',
    description:
      'A member that is not heard of for so long loses its partitions; it sends nothing new then. The brokers have bounds for it, 6 and 1800 as a rule.',
  }),
  rebalance_timeout_seconds: seconds(1, 3_600).default(60).meta({
    title: 'Rebalance timeout (seconds)',
    description:
      'When partitions are shared out anew, members have so long to finish what is under way. At least the session timeout.',
  }),
  heartbeat_seconds: seconds(0.1, 600).default(3).meta({
    title: 'Heartbeat (seconds)',
    description: 'From one sign of life to the next. At most a third of the session timeout.',
  }),
  broker_deadline_seconds: seconds(60, 604_800).default(900).meta({
    title: 'Broker deadline (seconds)',
    description: 'With no broker within reach for so long the process ends, to be started again.',
  }),
  topic_refresh_seconds: seconds(1, 86_400).default(60).meta({
    title: 'Look for topics (seconds)',
    description: 'New topics that a pattern matches are looked for so often.',
  }),
  tls: tls.optional().meta({
    title: 'TLS',
    description: 'Whether connections are encrypted: true, or a group with certificates.',
    also: { anyOf: [{ type: 'boolean' }, { $ref: '#/definitions/variable' }] },
  }),
  sasl: sasl.optional().meta({ title: 'SASL', description: 'How this member logs in. Left out, it does not.' }),
  allow_insecure_login: z.boolean().default(false).meta({
    title: 'Allow a login without TLS',
    description:
      'Logs in by plain or oauthbearer without TLS to brokers of other machines too. Others on the way can then read password or token.',
  }),
})
