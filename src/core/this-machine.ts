// Which hosts are this machine, by name or number alone. Pure.

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const LOOPBACK = new RegExp(`^(?:localhost|::1|127(?:\\.${OCTET}){3})$`, 'i')

/** localhost, 127.0.0.0/8, ::1. What is sent there, nobody on a way can read.
 *  @param host without brackets */
export function isThisMachine(host: string): boolean {
  return LOOPBACK.test(host)
}
