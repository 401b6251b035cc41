// Writes a request as a curl command that sends it again.

/** @typedef {{ readonly text: string, readonly kept: number, readonly bytes: number }} Body `text` has `kept` of its `bytes` bytes */

const IMPORT_PATH = /^(?:\/sandbox)?\/v2\/client\//
/** Tells that a text is not as it was sent (masked by stars, or no UTF-8), or cannot be an argument of a command (NUL). */
const NOT_AS_SENT = /\*{6}|\ufffd|\0/

/**
 * Makes the command. @param {{ readonly method: string, readonly path: string }} request a long path is cut, and ends with …
 * @param {Body | undefined} body
 * @returns {string | undefined} undefined when the request is not known in full, or is no import, whose key is in the address
 */
export function curlOf({ method, path }, body) {
  const text = body?.text ?? ''
  const isWhole = body === undefined || body.kept === body.bytes
  if (!isWhole || !IMPORT_PATH.test(path) || path.endsWith('…') || NOT_AS_SENT.test(path + text)) return undefined
  // without it curl takes brackets and braces for patterns
  const globoff = /[[\]{}]/.test(path) ? '--globoff ' : ''
  const address = `${quoted(`${location.origin}${path}?apikey=`)}"$ANALYTICS_API_KEY"`
  const data = text === '' ? '' : ` \\\n  -H 'Content-Type: application/json' \\\n  --data-raw ${quoted(text)}`
  return `curl ${globoff}-X ${method} ${address}${data}`
}

/** Quotes a text for a shell. @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
