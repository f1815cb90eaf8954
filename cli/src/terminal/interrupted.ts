import { io } from './io.ts'

/** Does work that Ctrl-C and SIGTERM end in an orderly way, with exit code 0, by aborting its signal. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { interrupted } = io()
  if (interrupted) return work(interrupted)
  const controller = new AbortController()
  const end = () => controller.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  try {
    await work(controller.signal)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
  }
}
