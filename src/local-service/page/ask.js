// Sends requests to the local service. What goes wrong comes back as words for the user, never as an exception.

/**
 * The value that an answer gave, or words for the user on what went wrong.
 * @template T
 * @typedef {{ readonly value: T } | { readonly wrong: string }} Asked
 */
/** @typedef {{ method?: string, body?: unknown }} Options `method`: GET when absent; `body`: sent as JSON */

/**
 * Asks for JSON.
 * @param {string} path below `/_local/`
 * @param {Options} [options]
 * @returns {Promise<Asked<any>>} never rejects
 */
export function askJson(path, options = {}) {
  return ask(path, options, (answer) => answer.json())
}

/** Asks for text. @param {string} path below `/_local/` @returns {Promise<Asked<string>>} never rejects */
export function askText(path) {
  return ask(path, {}, (answer) => answer.text())
}

/**
 * Asks whether there would be an answer, and drops it: a `value` says yes.
 * @param {string} path below `/_local/`
 * @returns {Promise<Asked<any>>} never rejects
 */
export function askWhether(path) {
  return ask(path, {}, (answer) => answer.body?.cancel())
}

/**
 * Sends a request. @param {string} path @param {Options} options
 * @param {(answer: Response) => Promise<any> | undefined} read takes the value out of an answer from 200 to 299
 * @returns {Promise<Asked<any>>}
 */
async function ask(path, { method = 'GET', body }, read) {
  try {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const answer = await fetch(path, { method, cache: 'no-store', ...sent })
    return answer.ok ? { value: await read(answer) } : { wrong: wordsOf(await answer.json(), answer.status) }
  } catch {
    return { wrong: 'the local service does not answer' }
  }
}

/** The words in an answer that is an error. @param {{ reasons?: readonly string[], message?: string }} answer @param {number} status */
function wordsOf({ reasons, message }, status) {
  return reasons?.join('; ') ?? message ?? `it answered ${status}`
}
