import { type Logger, pino, stdSerializers } from 'pino'
import type { Output } from './output.ts'

/** Creates the log of the process, which writes lines of JSON. */
export function createLog(level: string, output: Output): Logger {
  return pino({ level, serializers: { err: createErrorDescriber() } }, output)
}

/**
 * Database error fields that are safe to log. `detail` and `where` are not, because they quote rows and
 * statements.
 */
const NAMES = ['code', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall'] as const

/**
 * The time for which a logged stack is not repeated, because all requests fail the same way during an outage.
 */
const STACK_MS = 10 * 60 * 1000
/** The maximum number of remembered stacks. */
const STACKS_MAX = 100

/** Serializes errors for the log, with type, message and stack but no stored data. */
export function createErrorDescriber(
  nowMs: () => number = () => performance.now(),
): (error: unknown) => unknown {
  const loggedAtMs = new Map<string, number>()
  const isNew = (key: string) => {
    const lastLoggedAtMs = loggedAtMs.get(key)
    if (lastLoggedAtMs !== undefined && nowMs() - lastLoggedAtMs < STACK_MS) return false
    if (loggedAtMs.size >= STACKS_MAX) loggedAtMs.clear()
    loggedAtMs.set(key, nowMs())
    return true
  }
  return (error) => {
    if (!(error instanceof Error)) return String(error)
    const { type, message, stack } = stdSerializers.err(error)
    const fields = NAMES.map((name): [string, unknown] => [name, Reflect.get(error, name)])
    const named = Object.fromEntries(fields.filter(([, value]) => typeof value === 'string'))
    const isStackShown = isNew([type, named.code, message, findTopFrame(stack)].join('\n'))
    return { type, message, ...(isStackShown ? { stack } : {}), ...named }
  }
}

/** The first frame of a stack, where the error was thrown. */
function findTopFrame(stack: string | undefined): string | undefined {
  return stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
}
