// Checks CA certificates, a client certificate and its key before anything connects. Never quotes them.

import { X509Certificate, createPrivateKey } from 'node:crypto'
import type { Secret } from '../core/secret.ts'
import type { Findings, Path } from './findings.ts'

/** PEM texts, none of them empty (option-types.ts). */
export interface TlsOptions {
  readonly ca_certificate?: string | undefined
  readonly client_certificate?: string | undefined
  readonly client_key?: Secret | undefined
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Restores the line breaks of a PEM text that a form stored as `\n`, in one line. */
export function pemText(text: string): string {
  return text.includes('\n') ? text : text.replaceAll('\\r', '').replaceAll('\\n', '\n')
}

/** Checks each option, then whether certificate and key belong together.
 *  @param path of the group that the options are in */
export function checkTls(tls: TlsOptions, path: Path, findings: Findings): void {
  const { ca_certificate: ca, client_certificate: certificate } = tls
  const key = tls.client_key?.reveal()
  // adds nothing when there is no problem
  const add = (option: keyof TlsOptions, problem: string | undefined): void => findings.add([...path, option], problem)
  const certificateFault = certificate && certificateProblem(certificate)
  const keyFault = key && keyProblem(key)
  add('ca_certificate', ca && certificateProblem(ca))
  add('client_certificate', certificateFault)
  add('client_key', keyFault)
  // where one of the two is faulty, nothing more is said of how they fit
  if (certificateFault !== undefined || keyFault !== undefined) return
  if (certificate !== undefined && key === undefined) add('client_key', 'is required with `client_certificate`')
  if (certificate === undefined && key !== undefined) add('client_certificate', 'is required with `client_key`')
  if (certificate !== undefined && key !== undefined && !isPair(certificate, key))
    add('client_key', 'does not belong to `client_certificate`')
}

/** The problem of certificates. `undefined` when every one in the text can be read. */
function certificateProblem(text: string): string | undefined {
  const all = text.match(CERTIFICATE) ?? []
  if (all.length === 0) return `holds no PEM certificate (-----BEGIN CERTIFICATE----- …)${pathHint(text)}`
  const unreadable = all.findIndex((certificate) => parsed(certificate) === undefined)
  if (unreadable === -1) return undefined
  return all.length === 1 ? 'is not a readable certificate' : `certificate ${unreadable + 1} is not readable`
}

/** Asks for the content of a file where its path is given, as `ca.pem`, `~/tls/ca.crt` or `C:\tls\ca.cer`; '' for any other text. */
function pathHint(text: string): string {
  const isPath = /^\s*(?:[\w.~-]*[/\\]|[A-Za-z]:\\)?[^\s-][^\r\n]*\.(?:pem|crt|cer|cert|ca-bundle)\s*$/i.test(text)
  return isPath ? ', but what looks like the path of a file: give the content of the file' : ''
}

/** The problem of a key. `undefined` when the text is a private key without a passphrase. */
function keyProblem(text: string): string | undefined {
  try {
    createPrivateKey(text)
    return undefined
  } catch {
    return /ENCRYPTED/.test(text) ? 'has a passphrase: give it without one' : 'is not a readable PEM private key'
  }
}

/** Whether the key belongs to the first certificate; both are readable. */
function isPair(certificate: string, key: string): boolean {
  return parsed(certificate.match(CERTIFICATE)?.[0] ?? '')?.checkPrivateKey(createPrivateKey(key)) ?? false
}

function parsed(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate)
  } catch {
    return undefined
  }
}
