import type { Database, QueryOptions, StatementResult } from '../../../server/src/storage/engine/port.ts'
import type { Machine, Program } from '../machine/machine.ts'

/** Faults of the database, as fractions of all statements. */
export interface DatabaseFaults {
  readonly latencyMsMax: number
  /** The statement conflicts with another transaction and has no effect. */
  readonly conflicts: number
  /** The connection is lost, either before or after the statement takes effect. */
  readonly losses: number
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

const ORDERED = /\bORDER BY\b/i
/**
 * Compares numbers by value. Transaction numbers increase from run to run, and only their order is the same.
 */
const BY_TEXT = new Intl.Collator('en', { numeric: true })

/**
 * One program's connections to the database. Statements run one at a time, in an order that the seed
 * determines. Statements that a killed program has already sent may or may not be executed.
 */
export class ProgramDatabase implements Database {
  readonly kind = 'postgres'
  readonly #engine: Database
  readonly #machine: Machine
  readonly #program: Program
  readonly #faults: () => DatabaseFaults

  constructor(engine: Database, machine: Machine, program: Program, faults: () => DatabaseFaults) {
    this.#engine = engine
    this.#machine = machine
    this.#program = program
    this.#faults = faults
  }

  query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<StatementResult<Row>> {
    return this.#sendStatement(async () => {
      const result = await this.#engine.query<Row>(sql, parameters, options)
      return ORDERED.test(sql) ? result : { ...result, rows: this.#shuffle(result.rows) }
    })
  }

  script(sql: string): Promise<void> {
    return this.#sendStatement(() => this.#engine.script(sql))
  }

  /**
   * Puts rows without a defined order into an order that the seed determines. Their order in the engine
   * depends on earlier runs.
   */
  #shuffle<Row>(rows: readonly Row[]): Row[] {
    if (rows.length < 2) return [...rows]
    const { random } = this.#machine
    const remaining = rows
      .map((row) => ({ row, text: serializeRow(row) }))
      .sort((a, b) => BY_TEXT.compare(a.text, b.text))
    return rows
      .flatMap(() => remaining.splice(random.integerBelow(remaining.length), 1))
      .map(({ row }) => row)
  }

  /** Sends a statement, runs it, and returns its result, each at a simulated time. */
  #sendStatement<T>(run: () => Promise<T>): Promise<T> {
    const { latencyMsMax } = this.#faults()
    const machine = this.#machine
    return new Promise((resolve, reject) => {
      machine.runAfter(machine.randomDuration(latencyMsMax), async () => {
        if (this.#program.isDead && machine.random.chance(0.5)) return
        const outcome = await this.#runStatement(run)
        const settle = () => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error))
        machine.runAfter(machine.randomDuration(latencyMsMax), settle, this.#program)
      })
    })
  }

  async #runStatement<T>(run: () => Promise<T>): Promise<Outcome<T>> {
    const { random } = this.#machine
    const { conflicts, losses } = this.#faults()
    if (random.chance(conflicts)) return { error: createConflictError(random.chance(0.5)) }
    const isLost = random.chance(losses)
    if (isLost && random.chance(0.5))
      return { error: createLossError(random.integerBelow(LOSS_ERRORS.length)) }
    const outcome: Outcome<T> = await run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    return isLost ? { error: createLossError(random.integerBelow(LOSS_ERRORS.length)) } : outcome
  }

  /** Does nothing. The database is shared by all programs and keeps running. */
  async close(): Promise<void> {}
}

function serializeRow(row: unknown): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function createConflictError(isDeadlock: boolean): Error {
  return isDeadlock
    ? createError('40P01', 'deadlock detected')
    : createError('40001', 'could not serialize access due to concurrent update')
}

/** The errors with which pg reports a lost connection. */
const LOSS_ERRORS = [
  () => new Error('Connection terminated unexpectedly'),
  () => createError('ECONNRESET', 'read ECONNRESET'),
  () => createError('57P01', 'terminating connection due to administrator command'),
  () => createError('08006', 'connection failure'),
] as const

function createLossError(kind: number): Error {
  return LOSS_ERRORS[kind]!()
}

function createError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
