import { io } from './io.ts'

/**
 * Runs work until it finishes, or until Ctrl-C or SIGTERM aborts its signal. Either way, the exit code is 0.
 */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { interrupted } = io()
  if (interrupted) return work(interrupted)
  const controller = new AbortController()
  const abort = () => controller.abort()
  process.once('SIGINT', abort).once('SIGTERM', abort)
  try {
    await work(controller.signal)
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort)
  }
}
