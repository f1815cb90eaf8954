import type { Random } from './random.ts'
import { Schedule, type ScheduledEvent } from './schedule.ts'

/**
 * A program that runs in the simulation. When it is killed, everything it awaits is dropped, so it never
 * resumes.
 */
export class Program {
  readonly name: string
  isDead = false
  readonly #onDeath = new Set<() => void>()

  constructor(name: string) {
    this.name = name
  }

  /** Calls `callback` when the program is killed. Returns a function that unregisters it. */
  onKill(callback: () => void): () => void {
    this.#onDeath.add(callback)
    return () => this.#onDeath.delete(callback)
  }

  kill(): void {
    this.isDead = true
    for (const callback of this.#onDeath) callback()
    this.#onDeath.clear()
  }
}

let current: Program | undefined

/** The program whose code is running. Undefined for the simulation itself, which runs in real time. */
export function getCurrentProgram(): Program | undefined {
  return current
}

/**
 * Runs a program's code. Everything that follows without waiting for simulated time also belongs to that
 * program, so time has to pass before another program's code can run.
 */
export function runAs<T>(program: Program, callback: () => T): T {
  if (current && current !== program) throw new Error(`${program.name} starts while ${current.name} runs.`)
  current = program
  return callback()
}

/** The maximum number of events in a run. A run with more is considered stuck. */
const EVENTS_MAX = 100_000
const realSetImmediate = globalThis.setImmediate

/**
 * Simulated time and its events. Events happen one at a time, and all immediate consequences of an event are
 * complete before the next one. The seed therefore determines the run.
 */
export class Machine {
  readonly random: Random
  readonly #schedule = new Schedule()
  #callsInProgress = 0
  #onCallsDone = () => {}
  eventCount = 0
  #nowMs: number
  readonly startMs: number
  #failure: { readonly error: unknown } | undefined

  constructor(random: Random, startMs: number) {
    this.random = random
    this.startMs = startMs
    this.#nowMs = startMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** The offset of the machine's clock. Moving the clock forward does not shorten timers. */
  readonly clock = { offsetMs: 0 }

  /** Ends the run as failed with this error. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /** Schedules an event. A program's event is dropped if the program is killed first. */
  runAfter(delayMs: number, run: () => void | Promise<void>, program?: Program): ScheduledEvent {
    const event: ScheduledEvent = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      run: program ? () => (program.isDead ? undefined : runAs(program, run)) : run,
    }
    this.#schedule.add(event)
    return event
  }

  /** Waits for a call to the real machine, such as disk access. No event happens until it returns. */
  async waitForReal<T>(call: Promise<T>): Promise<T> {
    this.#callsInProgress += 1
    try {
      return await call
    } finally {
      this.#callsInProgress -= 1
      if (this.#callsInProgress === 0) this.#onCallsDone()
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.runAfter(ms, resolve))
  }

  /** A random duration up to `msMax`, usually far shorter. */
  randomDuration(msMax: number): number {
    const share = this.random.integerBelow(1_000_000) / 1_000_000
    return msMax * share * share
  }

  /** Runs events until the work is done. Throws the work's error, or an error if no events remain. */
  async runUntil<T>(work: Promise<T>): Promise<T> {
    const outcome: { value?: T; isDone: boolean } = { isDone: false }
    work.then(
      (value) => Object.assign(outcome, { value, isDone: true }),
      (error) => this.fail(error),
    )
    try {
      for (;;) {
        await this.#settle()
        if (this.#failure) throw this.#failure.error
        if (outcome.isDone) return outcome.value as T
        const next = this.#schedule.take()
        if (!next) throw new Error('All programs are waiting, and no event is scheduled.')
        if (next.isCanceled) continue
        if (++this.eventCount > EVENTS_MAX) throw new Error(`More than ${EVENTS_MAX} events.`)
        this.#nowMs = next.atMs
        await next.run()
      }
    } finally {
      current = undefined
    }
  }

  /** Waits for all immediate consequences: promises, ticks, and calls to the real machine. */
  async #settle(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => realSetImmediate(resolve))
      if (this.#callsInProgress === 0) break
      await new Promise<void>((resolve) => {
        this.#onCallsDone = resolve
      })
    }
    current = undefined
  }
}
