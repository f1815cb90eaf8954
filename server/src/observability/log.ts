import { type Logger, pino, stdSerializers } from 'pino'

/** The log of a process: JSON lines on standard error, or in `file`. */
export function createLog(level: string, file?: string): Logger {
  return pino({ level, serializers: { err: describeError } }, pino.destination(file ?? 2))
}

/** Members of a database error that are safe to log. Its `detail` and `where` quote rows and statements. */
const NAMES = ['code', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall'] as const

/** Serializes an error for the log: its type, message and stack, without any stored data. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { type, message, stack } = stdSerializers.err(error)
  const members = error as unknown as Readonly<Record<string, unknown>>
  const named = NAMES.filter((name) => typeof members[name] === 'string')
  return { type, message, stack, ...Object.fromEntries(named.map((name) => [name, members[name]])) }
}
