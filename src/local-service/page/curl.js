// A request as a command of curl, to send it again. Pure but for the page's own address.

/** @typedef {{ readonly text: string, readonly kept: number, readonly bytes: number }} Body */

const IMPORT = /^(?:\/sandbox)?\/v2\/client\//
/** Something is masked, was cut, is no UTF-8, or stands in no argument of a command. */
const LOST = /\*{6}|\ufffd|\0/

/**
 * @param {{ readonly method: string, readonly path: string }} request
 * @param {Body | undefined} body
 * @returns {string | undefined} undefined: what was sent is not known in full, or its key goes elsewhere than in its address
 */
export function curlOf({ method, path }, body) {
  const text = body?.text ?? ''
  const isWhole = body === undefined || body.kept === body.bytes
  if (!isWhole || !IMPORT.test(path) || path.endsWith('…') || LOST.test(path + text)) return undefined
  const plain = /[[\]{}]/.test(path) ? '--globoff ' : ''
  const address = `${quoted(`${location.origin}${path}?apikey=`)}"$ANALYTICS_API_KEY"`
  const data = text === '' ? '' : ` \\\n  -H 'Content-Type: application/json' \\\n  --data-raw ${quoted(text)}`
  return `curl ${plain}-X ${method} ${address}${data}`
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
