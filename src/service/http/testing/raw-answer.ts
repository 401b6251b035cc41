// For tests: an answer as bytes.

/** `headers`: whole lines, each with its line break. */
export function rawAnswer(status: string, body: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
}
