// What a check found: fine, worth knowing, or in the way of a run; or '', a word on the check itself.

export interface CheckFinding {
  readonly level: 'ok' | 'warn' | 'FAIL' | ''
  /** Whole sentences: what was found and, if something is to be done, what. */
  readonly text: string
}

export const ok = (text: string): CheckFinding => ({ level: 'ok', text })
export const warn = (text: string): CheckFinding => ({ level: 'warn', text })
export const fail = (text: string): CheckFinding => ({ level: 'FAIL', text })
export const note = (text: string): CheckFinding => ({ level: '', text })
