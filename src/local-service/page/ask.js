// Asks the local service. Every answer is JSON or text; what goes wrong comes back as words. Knows nothing of what is shown.

/**
 * @template T
 * @typedef {{ readonly value: T } | { readonly wrong: string }} Asked
 */

/** @type {typeof fetch} */
const send = (...given) => fetch(...given)

/**
 * @typedef {{ method?: string, body?: unknown }} Options `body`: sent as JSON
 *
 * @param {string} path below `/_local/`
 * @param {Options} [options]
 * @returns {Promise<Asked<any>>} never rejects
 */
export function askJson(path, options = {}) {
  return ask(path, options, (answer) => answer.json())
}

/** @param {string} path below `/_local/` @returns {Promise<Asked<string>>} never rejects */
export function askText(path) {
  return ask(path, {}, (answer) => answer.text())
}

/**
 * Whether it would be answered: nothing of the answer is kept.
 * @param {string} path below `/_local/`
 * @returns {Promise<Asked<any>>} never rejects
 */
export function askWhether(path) {
  return ask(path, {}, (answer) => answer.body?.cancel())
}

/**
 * @param {string} path
 * @param {Options} options
 * @param {(answer: Response) => Promise<any> | undefined} read
 * @returns {Promise<Asked<any>>}
 */
async function ask(path, { method = 'GET', body }, read) {
  try {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const answer = await send(path, { method, cache: 'no-store', ...sent })
    return answer.ok ? { value: await read(answer) } : { wrong: wordsOf(await answer.json(), answer.status) }
  } catch {
    return { wrong: 'the local service does not answer' }
  }
}

/** @param {{ reasons?: readonly string[], message?: string }} answer @param {number} status */
function wordsOf({ reasons, message }, status) {
  return reasons?.join('; ') ?? message ?? `it answered ${status}`
}
