// Asks the local service. Every answer is JSON or text; what goes wrong comes back as words. Knows nothing of what is shown.

/**
 * @template T
 * @typedef {{ readonly value: T } | { readonly wrong: string }} Asked
 */

/** @type {typeof fetch} */
const send = (...given) => fetch(...given)

/**
 * @param {string} path below `/_local/`
 * @param {{ method?: string, body?: unknown, signal?: AbortSignal }} [options] `body`: sent as JSON
 * @returns {Promise<Asked<any>>} never rejects
 */
export async function askJson(path, options = {}) {
  const { method = 'GET', body, signal } = options
  try {
    const answer = await send(path, {
      method,
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      ...(signal ? { signal } : {}),
    })
    const value = await answer.json()
    return answer.ok ? { value } : { wrong: wordsOf(value, answer.status) }
  } catch {
    return { wrong: 'the local service does not answer' }
  }
}

/**
 * @param {string} path below `/_local/`
 * @returns {Promise<Asked<string>>} never rejects
 */
export async function askText(path) {
  try {
    const answer = await send(path, { cache: 'no-store' })
    const value = await answer.text()
    return answer.ok ? { value } : { wrong: wordsOf(JSON.parse(value), answer.status) }
  } catch {
    return { wrong: 'the local service does not answer' }
  }
}

/**
 * @param {{ reasons?: readonly string[], message?: string }} answer
 * @param {number} status
 */
function wordsOf({ reasons, message }, status) {
  return reasons?.join('; ') ?? message ?? `it answered ${status}`
}
