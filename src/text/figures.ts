// Numbers in words for people: counts and spans of time.

/** "1,234,567". */
export function thousands(value: number | bigint): string {
  // not toLocaleString: loading a locale costs 10 ms
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** "1 batch", "1,200 batches". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`
}

/** "901 s", "0 s" for what has not begun. */
export function secondsText(ms: number): string {
  return `${thousands(Math.max(0, Math.floor(ms / 1000)))} s`
}

/** "12.3 s", "4 min 5 s": how long something took. */
export function elapsedText(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 100) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}

/** "15 min", "90 s": of a limit, exact. */
export function span(ms: number): string {
  const whole = (unitMs: number): boolean => ms >= 2 * unitMs && ms % unitMs === 0
  if (whole(3_600_000)) return `${thousands(ms / 3_600_000)} h`
  return whole(60_000) ? `${ms / 60_000} min` : `${thousands(ms / 1000)} s`
}
