// How well the text of a page can be read (WCAG 2.2, 1.4.3): run in the page, it lists what is below a ratio.

/** An expression for `page.evaluate`: the texts whose contrast is less than `least`, with what it is. */
export function weakTexts(least: number): string {
  return `(() => {
    const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
    const luminance = ([r, g, b]) =>
      [r, g, b].map((it) => it / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4))
        .reduce((sum, it, index) => sum + it * [0.2126, 0.7152, 0.0722][index], 0)
    const groundOf = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor)
        if (alpha === 1) return [r, g, b]
        if (alpha !== 0) throw new Error('a ground that is half seen: ' + at.outerHTML.slice(0, 80))
      }
      return [255, 255, 255]
    }
    const weak = []
    let looked = 0
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim()
      const element = walker.currentNode.parentElement
      if (text === '' || !element.checkVisibility() || element.closest('option, :disabled')) continue
      looked++
      const [one, other] = [parse(getComputedStyle(element).color), groundOf(element)].map(luminance)
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      if (ratio < ${least}) weak.push(text.slice(0, 40) + ' ' + ratio.toFixed(2))
    }
    return { looked, weak }
  })()`
}
