// What is seen, as the URL has it: `#/PANEL?name=value`. So reload, back, forward and links show it again. Each panel keeps its
// parameters while another one is shown.

import { byId } from './dom.js'

const PANELS = /** @type {const} */ (['tables', 'requests', 'faults', 'onboarding'])

/** @typedef {typeof PANELS[number]} Panel */

/** Milliseconds after the last key: browsers refuse to change the URL at every one. */
const TYPING_MS = 200

/** @type {Map<Panel, URLSearchParams>} */
const kept = new Map()
/** @type {Panel} */
let shown = 'tables'

/** @returns {Panel} */
export function shownPanel() {
  return shown
}

/** @param {Panel} panel @param {boolean} [focus] its tab gets the focus */
export function showPanel(panel, focus = false) {
  shown = panel
  write(false)
  if (focus) byId(`tab-${panel}`, HTMLElement).focus()
}

/** The value of a parameter, '' where there is none. @param {Panel} panel @param {string} name */
export function param(panel, name) {
  return kept.get(panel)?.get(name) ?? ''
}

/**
 * @param {Panel} panel
 * @param {Readonly<Record<string, string>>} changes '' removes a parameter
 * @param {boolean} [replace] no new entry of the history: for what nobody chose
 */
export function setParams(panel, changes, replace = false) {
  const params = kept.get(panel) ?? new URLSearchParams()
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name)
    else params.set(name, value)
  }
  kept.set(panel, params)
  if (panel === shown) write(replace)
}

/** @param {() => void} act called after every change of panel or parameters */
export function onView(act) {
  document.addEventListener('view', act)
}

/**
 * Makes a field and a parameter the same. What is typed replaces the entry of the history, what is chosen adds one.
 * @param {Panel} panel
 * @param {string} name
 * @param {string} id of an input or a select
 * @param {{ usual?: string, with?: Readonly<Record<string, string>> }} [options] `usual`: the value that the URL leaves out;
 *   `with`: what changes too
 */
export function bindField(panel, name, id, { usual = '', with: more = {} } = {}) {
  const field = /** @type {HTMLInputElement} */ (byId(id, HTMLElement))
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  /** @param {boolean} replace */
  const take = (replace) => {
    clearTimeout(typing)
    typing = undefined
    const { value } = field
    if ((param(panel, name) || usual) !== value)
      setParams(panel, { [name]: value === usual ? '' : value, ...more }, replace)
  }
  field.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => take(true), TYPING_MS)
  })
  field.addEventListener('change', () => take(field.type === 'search'))
  onView(() => {
    if (typing !== undefined) return
    const value = param(panel, name) || usual
    if (field.value !== value) field.value = value
  })
}

/** After the panels have started. */
export function startView() {
  for (const [index, panel] of PANELS.entries()) {
    const tab = byId(`tab-${panel}`, HTMLElement)
    tab.addEventListener('click', () => showPanel(panel))
    tab.addEventListener('keydown', ({ key }) => {
      const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: PANELS.length - 1 }[key]
      if (to !== undefined) showPanel(PANELS.at(to % PANELS.length) ?? 'tables', true)
    })
  }
  window.addEventListener('popstate', read)
  read()
}

function read() {
  const [, name, query] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? []
  const panel = PANELS.find((it) => it === name)
  if (panel) {
    shown = panel
    kept.set(panel, new URLSearchParams(query))
  }
  // with no element's id in it, where the browser would go to
  write(true)
}

/** @param {boolean} replace */
function write(replace) {
  const query = kept.get(shown)?.toString() ?? ''
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
