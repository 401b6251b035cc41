// Keeps what is shown in the URL, as `#/PANEL?name=value`, so that reload, back, forward and links show it again. Each panel keeps its
// parameters while another one is shown.

import { byId } from './dom.js'

const PANELS = /** @type {const} */ (['tables', 'requests', 'faults', 'onboarding'])

/** @typedef {typeof PANELS[number]} Panel */

/** How long after the last key the URL is changed, milliseconds: browsers refuse to change it at every key. */
const TYPING_MS = 200

/** The parameters of each panel. @type {Map<Panel, URLSearchParams>} */
const paramsOf = new Map()
/** @type {Panel} */
let shown = 'tables'

/** @returns {Panel} */
export function shownPanel() {
  return shown
}

/** Shows a panel. @param {Panel} panel @param {boolean} [focus] whether its tab gets the focus */
export function showPanel(panel, focus = false) {
  shown = panel
  writeUrl({ replace: false })
  if (focus) byId(`tab-${panel}`, HTMLElement).focus()
}

/** The value of a parameter, '' when it is not set. @param {Panel} panel @param {string} name */
export function param(panel, name) {
  return paramsOf.get(panel)?.get(name) ?? ''
}

/**
 * Changes parameters of a panel. @param {Panel} panel
 * @param {Readonly<Record<string, string>>} changes '' removes a parameter
 * @param {boolean} [replace] whether the entry of the history is replaced, as the user did not choose this; else one is added
 */
export function setParams(panel, changes, replace = false) {
  const params = paramsOf.get(panel) ?? new URLSearchParams()
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name)
    else params.set(name, value)
  }
  paramsOf.set(panel, params)
  if (panel === shown) writeUrl({ replace })
}

/** Has a function called after every change of the shown panel or its parameters. @param {() => void} act */
export function onView(act) {
  document.addEventListener('view', act)
}

/**
 * Keeps a field and a parameter equal. What is typed replaces the entry of the history, what is chosen adds one.
 * @param {Panel} panel @param {string} name @param {string} id of an input or a select
 * @param {{ usual?: string, with?: Readonly<Record<string, string>> }} [options] `usual`: the value that the URL leaves out;
 *   `with`: other parameters that change with it
 */
export function bindField(panel, name, id, { usual = '', with: more = {} } = {}) {
  const field = /** @type {HTMLInputElement} */ (byId(id, HTMLElement))
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  /** @param {boolean} replace */
  const takeOver = (replace) => {
    clearTimeout(typing)
    typing = undefined
    const { value } = field
    if ((param(panel, name) || usual) !== value)
      setParams(panel, { [name]: value === usual ? '' : value, ...more }, replace)
  }
  field.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => takeOver(true), TYPING_MS)
  })
  field.addEventListener('change', () => takeOver(field.type === 'search'))
  onView(() => {
    if (typing !== undefined) return
    const value = param(panel, name) || usual
    if (field.value !== value) field.value = value
  })
}

/** Shows what the URL has. Called once, after the panels have started. */
export function startView() {
  for (const [index, panel] of PANELS.entries()) {
    const tab = byId(`tab-${panel}`, HTMLElement)
    tab.addEventListener('click', () => showPanel(panel))
    tab.addEventListener('keydown', ({ key }) => {
      const next = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: PANELS.length - 1 }[key]
      if (next !== undefined) showPanel(PANELS.at(next % PANELS.length) ?? 'tables', true)
    })
  }
  window.addEventListener('popstate', readUrl)
  readUrl()
}

function readUrl() {
  const [, name, query] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? []
  const panel = PANELS.find((it) => it === name)
  if (panel) {
    shown = panel
    paramsOf.set(panel, new URLSearchParams(query))
  }
  // the URL is spelt anew: else the browser would scroll to an element whose id it named
  writeUrl({ replace: true })
}

/** Writes the URL, and shows the panel and its tab. @param {{ replace: boolean }} options as in setParams */
function writeUrl({ replace }) {
  const query = paramsOf.get(shown)?.toString() ?? ''
  const hash = `#/${shown}${query === '' ? '' : `?${query}`}`
  if (hash !== location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', hash)
  for (const panel of PANELS) {
    const tab = byId(`tab-${panel}`, HTMLElement)
    tab.setAttribute('aria-selected', String(panel === shown))
    tab.tabIndex = panel === shown ? 0 : -1
    byId(panel, HTMLElement).hidden = panel !== shown
  }
  document.dispatchEvent(new Event('view'))
}
