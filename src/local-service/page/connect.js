// How to write to this service: its address as the page was reached, a client, a config and a first row.

import { byId, copy, say } from './dom.js'

/** @param {{ client_id: number, key: string | null }} connect `key`: null where it is a secret */
export function showConnect({ client_id, key }) {
  const address = location.origin
  const shownKey = key ?? `THE-KEY-OF-CLIENT-${client_id}`
  const note = key ?? 'the one given to serve; Onboarding can make another'
  say('connect-facts', `${address} · client ${client_id} · key ${note}`)
  const config = { import_url: address, client_id, api_key: shownKey }
  say('connect-config', JSON.stringify(config, null, 2))
  const url = `${address}/v2/client/${client_id}/table/orders/data?apikey=${shownKey}`
  const row = JSON.stringify([{ keys: ['id'], id: 1, item: 'lamp' }])
  say('connect-curl', `curl '${url}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${row}'`)
}

export function startConnect() {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.addEventListener('click', () => {
      const text = byId(button.getAttribute('data-copy') ?? '', HTMLElement).textContent ?? ''
      void copy(text).then((isCopied) => (button.textContent = isCopied ? 'Copied' : 'Copying is not possible here'))
    })
    button.addEventListener('blur', () => (button.textContent = 'Copy'))
  }
}
