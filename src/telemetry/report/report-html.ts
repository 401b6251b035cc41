// Text from outside, in a page. Knows no element.

import { printable } from '../../text/printable.ts'

const NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For an element's content or an attribute's value in double quotes. */
export function html(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => NAMES[sign]!)
}
