// What the words of the service say about a job (decisions.md#a-states-word-says-done-or-failed).

export type JobState = 'done' | 'failed' | 'running'

/** Case-insensitive. Whatever is neither done nor failed is running. */
export function stateOf(word: string): JobState {
  const text = word.trim().toLowerCase()
  const good = text.startsWith('complete') || text === 'success' || text === 'succeeded'
  if (good && !/error|fail|warn/.test(text)) return 'done'
  return /fail|error|cancel|reject|expire/.test(text) ? 'failed' : 'running'
}
