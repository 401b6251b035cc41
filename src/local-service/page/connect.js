// Shows how to write to this service: its address (the one by which the page was reached), a client and its key, a config, a first row.

import { byId, copy, say } from './dom.js'

/** Fills the panel, from each overview. @param {{ client_id: number, key: string | null }} connect `key` is null where it is a secret */
export function showConnect({ client_id, key }) {
  const address = location.origin
  const shownKey = key ?? `THE-KEY-OF-CLIENT-${client_id}`
  const note = key ?? 'the one given to serve; Onboarding can make another'
  say('connect-facts', `${address} · client ${client_id} · key ${note}`)
  say('connect-config', configWith(client_id, shownKey))
  const url = `${address}/v2/client/${client_id}/table/orders/data?apikey=${shownKey}`
  const row = JSON.stringify([{ keys: ['id'], id: 1, item: 'lamp' }])
  say('connect-curl', `curl '${url}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${row}'`)
}

/** A config of the program, as JSON. @param {number} clientId @param {string} key */
export function configWith(clientId, key) {
  return JSON.stringify({ import_url: location.origin, client_id: clientId, api_key: key }, null, 2)
}

/** Makes the Copy buttons work: their `data-copy` is the id of the element whose text they copy. Called once. */
export function startConnect() {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.addEventListener('click', () => {
      const text = byId(button.getAttribute('data-copy') ?? '', HTMLElement).textContent ?? ''
      void copy(text).then((isCopied) => (button.textContent = isCopied ? 'Copied' : 'Copying is not possible here'))
    })
    button.addEventListener('blur', () => (button.textContent = 'Copy'))
  }
}
