// The figures of "Why so large" in docs/DESIGN.md: lines of each room, counted as `npm run figures` counts production.

import { globSync, readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)
/** Share by which a figure may be off, so that not each change of a room changes the page. */
const TOLERATED = 0.05

/** Lines by room, tests and their helpers left out; those of the page that runs in a browser are a room of their own. */
export function linesByRoom(): Map<string, number> {
  const files = globSync('src/**/*.{ts,js,css,html}', { cwd: ROOT }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  )
  const lines = new Map<string, number>()
  for (const path of files) {
    const room = /^src\/(local-service\/page\/|[\w-]+\/|)/.exec(path)![1]! || 'src/'
    lines.set(room, (lines.get(room) ?? 0) + readFileSync(new URL(path, ROOT), 'utf8').split('\n').length - 1)
  }
  return lines
}

/** The page with each figure renewed that is off by more than is tolerated. */
export function renewedRooms(page: string): string {
  const lines = linesByRoom()
  const [, before, rooms, after] = /^([^]*\n## Why so large\n)([^]*?)(\n##[^]*)$/.exec(page)!
  const table = rooms!.replaceAll(/^\| `([\w/-]+)` \| ([\d,]+) \|/gm, (row, room: string, told: string) => {
    const [now, then] = [lines.get(room) ?? 0, Number(told.replaceAll(',', ''))]
    const isNear = Math.abs(now - then) <= TOLERATED * now
    return isNear ? row : `| \`${room}\` | ${(Math.round(now / 100) * 100).toLocaleString('en')} |`
  })
  return `${before!}${table}${after!}`
}
