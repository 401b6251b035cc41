import { Secret, type ReadSecret } from '../secret.ts'

/** A login's secret, the same one each time. */
export function reads(text: string): ReadSecret {
  const secret = new Secret(text)
  return async () => secret
}
