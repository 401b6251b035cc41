// Numbers in words for people: counts, and spans of time in milliseconds.

/** Writes a number with a comma at each thousand: "1,234,567". */
export function thousands(value: number | bigint): string {
  // not toLocaleString: loading a locale costs 10 ms
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Writes a count with its noun: "1 batch", "1,200 batches". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`
}

/** Writes the whole seconds in a time: "901 s". A negative one is "0 s". */
export function secondsText(ms: number): string {
  return `${thousands(Math.max(0, Math.floor(ms / 1000)))} s`
}

/** Writes how long something took: "12.3 s", "4 min 5 s". */
export function elapsedText(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 100) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}

/** Writes a limit of time exactly: in hours or minutes if it is two or more whole ones, else in seconds: "15 min", "90 s". */
export function span(ms: number): string {
  const isWhole = (unitMs: number): boolean => ms >= 2 * unitMs && ms % unitMs === 0
  if (isWhole(3_600_000)) return `${thousands(ms / 3_600_000)} h`
  return isWhole(60_000) ? `${ms / 60_000} min` : `${thousands(ms / 1000)} s`
}
