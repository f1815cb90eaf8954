import { type Logger, pino, stdSerializers } from 'pino'

/** Where an operation says what happened: fields, and a sentence that does not vary. pino's logger is one. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * A log whose lines all carry `fields`, as they are when the line is written. One is made for every request and most
 * say nothing, so it does nothing until then.
 */
export class LogWith implements Log {
  readonly #log: Log
  readonly #fields: object

  constructor(log: Log, fields: object) {
    this.#log = log
    this.#fields = fields
  }

  debug(fields: object, message: string): void {
    this.#log.debug({ ...this.#fields, ...fields }, message)
  }

  info(fields: object, message: string): void {
    this.#log.info({ ...this.#fields, ...fields }, message)
  }

  warn(fields: object, message: string): void {
    this.#log.warn({ ...this.#fields, ...fields }, message)
  }

  error(fields: object, message: string): void {
    this.#log.error({ ...this.#fields, ...fields }, message)
  }
}

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
