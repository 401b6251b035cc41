// Keeps what kafkajs makes Node and itself say off the console of tests: one harmless warning by name, one notice.

const HARMLESS = 'TimeoutNegativeWarning'

let isQuiet = false

/** For the whole process, once. */
export function quietKafkajs(): void {
  if (isQuiet) return
  isQuiet = true
  process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1'
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void
  process.emitWarning = (warning: string | Error, ...more: unknown[]): void => {
    // its request queue sets a timer before there is anything to wait for
    if (more[0] !== HARMLESS) emit(warning, ...more)
  }
}
