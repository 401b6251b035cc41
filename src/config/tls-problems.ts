// Whether an authority, a certificate and its key can be used together, before anything connects. Never quotes them.

import { certificateProblem, isPair, keyProblem, pemText } from './pem.ts'

export type TlsOption = 'ca_certificate' | 'client_certificate' | 'client_key'

/** PEM texts, or what stands in their place. */
export type TlsTexts = Readonly<Partial<Record<TlsOption, string | undefined>>>

/** What is wrong with each alone; only if that is nothing, what is wrong with certificate and key together. */
export function tlsProblems(texts: TlsTexts): (readonly [option: TlsOption, problem: string])[] {
  const certificate = pem(texts.client_certificate)
  const key = pem(texts.client_key)
  const alone: (readonly [TlsOption, string | undefined])[] = [
    ['ca_certificate', problemOf(certificateProblem, pem(texts.ca_certificate))],
    ['client_certificate', problemOf(certificateProblem, certificate)],
    ['client_key', problemOf(keyProblem, key)],
  ]
  const found = alone.filter((pair): pair is readonly [TlsOption, string] => pair[1] !== undefined)
  if (found.some(([option]) => option !== 'ca_certificate')) return found
  if (certificate !== undefined && key === undefined)
    found.push(['client_key', 'is required with `client_certificate`'])
  if (certificate === undefined && key !== undefined)
    found.push(['client_certificate', 'is required with `client_key`'])
  if (certificate !== undefined && key !== undefined && !isPair(certificate, key)) {
    found.push(['client_key', 'does not belong to `client_certificate`'])
  }
  return found
}

function pem(text: string | undefined): string | undefined {
  return text === undefined ? undefined : pemText(text)
}

function problemOf(check: (text: string) => string | undefined, text: string | undefined): string | undefined {
  return text === undefined ? undefined : check(text)
}
