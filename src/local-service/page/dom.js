// Finds, makes and fills elements of the document. No text is ever taken for HTML, as rows may have any text.

import { visible } from './format.js'

/**
 * The element of index.html with an id. Throws when there is none of that kind.
 * @template {HTMLElement | SVGElement} E
 * @param {string} id @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`)
  return found
}

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name @param {string} [text] @param {string} [className]
 * @returns {HTMLElementTagNameMap[N]}
 */
export function element(name, text = '', className = '') {
  const made = document.createElement(name)
  if (text !== '') made.textContent = text
  if (className !== '') made.className = className
  return made
}

/** Makes an option of a select. @param {string} value @param {string} text */
export function optionOf(value, text) {
  const option = element('option', visible(text))
  option.value = value
  return option
}

/** Adds options whose values are their texts. @param {string} id of a select @param {readonly string[]} texts */
export function addOptions(id, texts) {
  byId(id, HTMLSelectElement).append(...texts.map((text) => optionOf(text, text)))
}

/** Sets the text of an element, if it differs: screen readers read out whatever is set. @param {string} id @param {string} text */
export function say(id, text) {
  const place = byId(id, HTMLElement)
  if (place.textContent !== text) place.textContent = text
}

/** Shows or hides an element. @param {string} id @param {boolean} isShown */
export function show(id, isShown) {
  byId(id, HTMLElement).hidden = !isShown
}

/** Shows an error, or hides its element. @param {string} id @param {string | undefined} wrong the words; undefined when nothing is wrong */
export function showError(id, wrong) {
  say(id, wrong ?? '')
  show(id, wrong !== undefined)
}

/** Has an element act when it is clicked. @param {string} id @param {() => void | Promise<void>} act */
export function onClick(id, act) {
  byId(id, HTMLElement).addEventListener('click', () => void act())
}

/** Has a form act, instead of being sent by the browser. @param {string} id @param {() => void | Promise<void>} act */
export function onSubmit(id, act) {
  byId(id, HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    void act()
  })
}

/** The text that is typed or chosen in a field. @param {string} id of an input or a select */
export function fieldText(id) {
  const field = byId(id, HTMLElement)
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : ''
}

/** Asks in a dialog, whose button for yes has the value `yes`. @param {string} question @returns {Promise<boolean>} whether it was yes */
export function confirmed(question) {
  const dialog = byId('confirm', HTMLDialogElement)
  say('confirm-text', question)
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
  })
}

/** Makes menus close before what is pressed in them acts: when that opens a dialog, the focus is back on the menu's button. Called once. */
export function startMenus() {
  for (const menu of document.querySelectorAll('.menu')) {
    for (const item of menu.querySelectorAll('button, a'))
      item.addEventListener('click', () => menu instanceof HTMLElement && menu.hidePopover(), true)
  }
}

/** Copies a text to the clipboard. @param {string} text @returns {Promise<boolean>} whether that was possible */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
