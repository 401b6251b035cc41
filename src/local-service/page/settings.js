// Latency, random faults and the rate limit of the running service: shown and changed. Knows no scripted fault.

import { askJson } from './ask.js'
import { byId, fieldText, fillField, onClick, onSubmit, say, showError } from './dom.js'
import { counted } from './format.js'

/**
 * @typedef {object} Settings
 * @property {{ from: number, to: number } | null} latency_ms
 * @property {number} error_rate
 * @property {number | null} rate_limit
 */

let shown = ''

/** @param {Settings} settings the form follows when they have changed, unless somebody is writing in it */
export function showSettings(settings) {
  const state = JSON.stringify(settings)
  if (state === shown) return
  shown = state
  say('settings-now', textOf(settings))
  if (!byId('settings-form', HTMLFormElement).contains(document.activeElement)) fillForm(settings)
}

export function startSettings() {
  onSubmit('settings-form', () => change('POST', fromForm()))
  onClick('settings-reset', () => change('DELETE'))
}

/**
 * @param {string} method
 * @param {object} [body]
 */
async function change(method, body) {
  const asked = await askJson('settings', { method, body })
  showError('settings-error', 'wrong' in asked ? asked.wrong : undefined)
  if ('wrong' in asked) return
  const { settings } = asked.value
  shown = JSON.stringify(settings)
  say('settings-now', textOf(settings))
  fillForm(settings)
}

/** @param {Settings} settings */
function fillForm({ latency_ms: latency, error_rate: rate, rate_limit: limit }) {
  fillField('settings-from', latency?.from ?? '')
  fillField('settings-to', latency?.to ?? '')
  fillField('settings-errors', rate === 0 ? '' : rate)
  fillField('settings-rate', limit ?? '')
}

function fromForm() {
  const to = numberIn('settings-to')
  const from = numberIn('settings-from') ?? (to === undefined ? undefined : 0)
  return {
    latency_ms: from === undefined ? null : { from, to: to ?? from },
    error_rate: numberIn('settings-errors') ?? 0,
    rate_limit: numberIn('settings-rate') ?? null,
  }
}

/** @param {string} id */
function numberIn(id) {
  const text = fieldText(id)
  return text === '' ? undefined : Number(text)
}

/** @param {Settings} settings */
function textOf({ latency_ms: latency, error_rate: rate, rate_limit: limit }) {
  const waits = latency && (latency.from === latency.to ? `${latency.from}` : `${latency.from} to ${latency.to}`)
  const parts = [
    waits && `each request waits ${waits} ms`,
    rate > 0 && `${Math.round(rate * 10_000) / 100} % of the upserts fail`,
    limit !== null && `429 above ${counted(limit, 'request')} per second and client`,
  ].filter((it) => typeof it === 'string')
  return parts.length === 0 ? 'Now: no latency, no random faults, no rate limit.' : `Now: ${parts.join('; ')}.`
}
