// How long this process has been busy: the part of its life its event loop did not spend waiting.

/** @returns milliseconds since the event loop began, never less than before */
export const busyMs = (): number => performance.eventLoopUtilization().active
