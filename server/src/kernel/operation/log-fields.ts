import type { Log } from '../ports/log.ts'

/**
 * A log that adds `fields`, as they are at that moment, to each line. Every request has one but most log
 * nothing, so it does no work before its first line.
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
