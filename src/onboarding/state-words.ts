// What the word for a job's state means (assumptions 36). Pure.

export type JobState = 'done' | 'failed' | 'running'

/** Case-blind. What is neither done nor failed is running. */
export function stateOf(word: string): JobState {
  const text = word.trim().toLowerCase()
  const good = text.startsWith('complete') || text === 'success' || text === 'succeeded'
  if (good && !/error|fail|warn/.test(text)) return 'done'
  return /fail|error|cancel|reject|expire/.test(text) ? 'failed' : 'running'
}
