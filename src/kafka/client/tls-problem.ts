// What a failed TLS handshake with a broker means, in words for the user.

/** Code and text of a Node error, e.g. of `tls.connect`. */
export interface TlsFailure {
  readonly message: string
  readonly code: string | undefined
}

interface Meaning {
  readonly pattern: RegExp
  readonly found: string
  readonly remedy: string
}

/** Matches code and text ("CERT_HAS_EXPIRED certificate has expired") of all failures of TLS. */
const TLS_FAILURE = /certificate|CERT_|altnames|SSL (?:routines|alert)|ERR_SSL|ERR_TLS|EPROTO/i
const CA_OPTION = 'kafka.tls.ca_certificate'

/** The first one that matches is used. */
const MEANINGS: readonly Meaning[] = [
  {
    pattern: /ALTNAME|altnames/,
    found: 'its certificate is for other names',
    remedy:
      'Name the broker in kafka.brokers as its certificate does, and let it advertise that name (advertised.listeners); or give it a certificate with this name',
  },
  {
    pattern: /CERT_HAS_EXPIRED|certificate has expired/,
    found: 'its certificate, or that of its authority, has expired',
    remedy: `Give the broker a new one, and ${CA_OPTION} if the authority's is new too`,
  },
  {
    pattern: /CERT_NOT_YET_VALID|not yet valid/,
    found: 'its certificate is not valid yet',
    remedy: 'Compare the clocks of both machines',
  },
  {
    pattern: /SELF_SIGNED|UNABLE_TO_|self-signed|unable to (?:get|verify)/,
    found: 'its certificate comes from an authority that is not known here',
    remedy: `Set ${CA_OPTION} to that authority's certificate`,
  },
  {
    pattern:
      /alert (?:bad certificate|certificate|unknown ca|handshake failure|access denied)|alert number (?:4\d|116)/,
    found: 'it requires a client certificate it knows, and got none or another',
    remedy:
      'Set kafka.tls.client_certificate and kafka.tls.client_key to a pair whose authority the broker trusts, and that has not expired',
  },
  {
    pattern: /wrong version number|packet length too long|record layer/,
    found: 'its port does not speak TLS',
    remedy: 'Name a port that does in kafka.brokers, or leave kafka.tls out',
  },
  {
    pattern: /unsupported protocol|protocol version|no shared cipher|no ciphers/,
    found: 'it has no version or cipher of TLS in common with this program',
    remedy: 'Let the broker accept TLS 1.2 or 1.3',
  },
]
const UNKNOWN_MEANING = { found: 'the handshake failed', remedy: 'Check kafka.tls, and that the port speaks TLS' }

/** Describes a failure of TLS. @param broker host:port
 *  @returns a sentence with what failed and one with what to do; `undefined` when the failure is not about TLS */
export function tlsProblem({ message, code }: TlsFailure, broker: string): string | undefined {
  const codeAndText = `${code ?? ''} ${message}`
  if (!TLS_FAILURE.test(codeAndText)) return undefined
  const { found, remedy } = MEANINGS.find(({ pattern }) => pattern.test(codeAndText)) ?? UNKNOWN_MEANING
  return `TLS to ${broker} failed: ${found} (${withoutAdvice(message)}). ${remedy}.`
}

/** A message without kafkajs's prefix, Node's advice for programmers, and punctuation at the end. */
export function withoutAdvice(message: string): string {
  return message
    .replace(/^Connection error: /, '')
    .replace(/; if the root CA is installed locally.*/, '')
    .replace(/(?<![.:\s])[.:\s]+$/, '')
}
