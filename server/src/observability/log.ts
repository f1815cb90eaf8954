import { type Logger, pino, stdSerializers } from 'pino'

/** The log of a process: JSON lines on standard error, or in `file`. They are written without being waited for. */
export function createLog(level: string, file?: string): Logger {
  return pino({ level, serializers: { err: describeError } }, pino.destination(file ?? 2))
}

/** Members of a database's error that name what it met. Its `detail` and `where` quote rows and statements instead. */
const NAMES = ['code', 'schema', 'table', 'column', 'constraint', 'routine', 'syscall'] as const

/** What a line tells of an error: what it is and where it came from, and nothing that the database was given to keep. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  const { type, message, stack } = stdSerializers.err(error)
  const members = error as unknown as Readonly<Record<string, unknown>>
  const named = NAMES.filter((name) => typeof members[name] === 'string')
  return { type, message, stack, ...Object.fromEntries(named.map((name) => [name, members[name]])) }
}
