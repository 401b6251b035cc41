// The panels and their tabs: one is shown, the address remembers which. Knows nothing of what they show.

import { byId } from './dom.js'

export const PANELS = /** @type {const} */ (['tables', 'sql', 'requests', 'faults', 'onboarding'])

/** @typedef {typeof PANELS[number]} Panel */

/** @type {Panel} */
let shown = 'tables'

/** @returns {Panel} */
export function shownPanel() {
  return shown
}

/**
 * @param {Panel} panel
 * @param {boolean} [focus] its tab gets the focus
 */
export function showPanel(panel, focus = false) {
  shown = panel
  for (const each of PANELS) {
    const tab = byId(`tab-${each}`, HTMLElement)
    tab.setAttribute('aria-selected', String(each === panel))
    tab.tabIndex = each === panel ? 0 : -1
    byId(each, HTMLElement).hidden = each !== panel
    if (focus && each === panel) tab.focus()
  }
  // no element's id: the browser would go to that one
  history.replaceState(null, '', `#/${panel}`)
  document.dispatchEvent(new CustomEvent('panel', { detail: panel }))
}

/** @param {(panel: Panel) => void} act called whenever another panel is shown */
export function onPanel(act) {
  document.addEventListener('panel', () => act(shown))
}

export function startTabs() {
  for (const [index, panel] of PANELS.entries()) {
    const tab = byId(`tab-${panel}`, HTMLElement)
    tab.addEventListener('click', () => showPanel(panel))
    tab.addEventListener('keydown', ({ key }) => {
      const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: PANELS.length - 1 }[key]
      if (to !== undefined) showPanel(at(to), true)
    })
  }
  window.addEventListener('hashchange', () => showPanel(named(location.hash)))
  showPanel(named(location.hash))
}

/** @param {number} index beyond the last is the first again */
function at(index) {
  return PANELS[(index + PANELS.length) % PANELS.length] ?? 'tables'
}

/** @param {string} hash */
function named(hash) {
  return PANELS.find((panel) => `#/${panel}` === hash) ?? shown
}
