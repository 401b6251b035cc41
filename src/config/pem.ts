// Whether certificates and keys can be used, before anything connects. Never quotes them.

import { X509Certificate, createPrivateKey } from 'node:crypto'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** A form may have put the line breaks of a PEM text in as `\n`. */
export function pemText(text: string): string {
  return text.includes('\n') ? text : text.replaceAll('\\r', '').replaceAll('\\n', '\n')
}

/** undefined: every certificate in the text can be read. */
export function certificateProblem(text: string): string | undefined {
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length === 0) return `holds no PEM certificate (-----BEGIN CERTIFICATE----- …)${pathHint(text)}`
  const broken = certificates.findIndex((certificate) => readable(certificate) === undefined)
  if (broken === -1) return undefined
  return certificates.length === 1 ? 'is not a readable certificate' : `certificate ${broken + 1} is not readable`
}

function pathHint(text: string): string {
  const isPath = /^\s*(?:[\w.~-]*[/\\]|[A-Za-z]:\\)?[^\s-][^\r\n]*\.(?:pem|crt|cer|cert|ca-bundle)\s*$/i.test(text)
  return isPath ? ', but what looks like the path of a file: give the content of the file' : ''
}

/** undefined: the text is a private key without a passphrase. */
export function keyProblem(text: string): string | undefined {
  try {
    createPrivateKey(text)
    return undefined
  } catch {
    return /ENCRYPTED/.test(text) ? 'has a passphrase: give it without one' : 'is not a readable PEM private key'
  }
}

/** Whether the key belongs to the first certificate; both are readable. */
export function isPair(certificate: string, key: string): boolean {
  return readable(certificate.match(CERTIFICATE)?.[0] ?? '')?.checkPrivateKey(createPrivateKey(key)) ?? false
}

function readable(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate)
  } catch {
    return undefined
  }
}
