// Which hosts are this machine: what is sent there cannot be read on the way.

import { isIPv4 } from 'node:net'

/** Whether a host is localhost, in 127.0.0.0/8, or ::1.
 *  @param host without brackets */
export function isThisMachine(host: string): boolean {
  return /^(?:localhost|::1)$/i.test(host) || (host.startsWith('127.') && isIPv4(host))
}
