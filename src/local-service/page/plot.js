// Two small plots of the last two minutes, one value per second.

import { byId, say } from './dom.js'
import { count } from './format.js'

const WIDTH = 240
const HEIGHT = 48
const NAMESPACE = 'http://www.w3.org/2000/svg'

/** @param {readonly (readonly [requests: number, points: number, failed: number])[]} seconds oldest first */
export function showPlots(seconds) {
  const failed = seconds.map(([, , number]) => number)
  plot(
    'requests',
    seconds.map(([requests]) => requests),
    failed,
  )
  plot(
    'points',
    seconds.map(([, points]) => points),
  )
  const sum = failed.reduce((one, other) => one + other, 0)
  say('requests-failed', sum === 0 ? '' : `${count(sum)} failed`)
}

/**
 * @param {string} what also the first word of its ids
 * @param {readonly number[]} values
 * @param {readonly number[]} [failed] those of them that failed
 */
function plot(what, values, failed) {
  const peak = Math.max(...values, 0)
  const last = values.at(-1) ?? 0
  say(`${what}-now`, count(last))
  say(`${what}-peak`, `peak ${count(peak)}`)
  const figure = byId(`${what}-plot`, SVGElement)
  figure.setAttribute(
    'aria-label',
    `${what === 'points' ? 'rows' : what} per second: ${count(last)} now, at most ${count(peak)} in two minutes`,
  )
  const step = WIDTH / Math.max(values.length - 1, 1)
  /**
   * @param {readonly number[]} all
   * @param {number} [least] where 0 is
   */
  const line = (all, least = HEIGHT - 1) =>
    all.map((value, index) => `${round(index * step)} ${round(least - (value / peak || 0) * (HEIGHT - 4))}`).join('L')
  draw(figure, 'area', `M0 ${HEIGHT}L${line(values)}L${WIDTH} ${HEIGHT}Z`)
  draw(figure, 'line', `M${line(values)}`)
  if (failed) draw(figure, 'failed', `M0 ${HEIGHT}L${line(failed, HEIGHT)}L${WIDTH} ${HEIGHT}Z`)
}

/**
 * @param {SVGElement} figure
 * @param {string} name
 * @param {string} path
 */
function draw(figure, name, path) {
  let found = figure.querySelector(`.${name}`)
  if (!found) {
    found = document.createElementNS(NAMESPACE, 'path')
    found.setAttribute('class', name)
    figure.append(found)
  }
  found.setAttribute('d', path)
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}
