import type { Random } from './random.ts'
import { type Happening, Schedule } from './schedule.ts'

/**
 * A program that runs in the simulation. When it is killed, everything that it awaits is dropped, so it never
 * continues.
 */
export class Program {
  readonly name: string
  isDead = false
  readonly #onDeath = new Set<() => void>()

  constructor(name: string) {
    this.name = name
  }

  /** Calls `act` when the program is killed. Returns a function that cancels this. */
  whenKilled(act: () => void): () => void {
    this.#onDeath.add(act)
    return () => this.#onDeath.delete(act)
  }

  kill(): void {
    this.isDead = true
    for (const act of this.#onDeath) act()
    this.#onDeath.clear()
  }
}

let current: Program | undefined

/** The program whose code runs now. Without one, it is the simulation itself, which lives in real time. */
export function currentProgram(): Program | undefined {
  return current
}

/**
 * Runs code of a program. Everything that follows without waiting for time also belongs to the program, so
 * another program's code must let time pass first.
 */
export function runAs<T>(program: Program, act: () => T): T {
  if (current && current !== program) throw new Error(`${program.name} begins while ${current.name} runs.`)
  current = program
  return act()
}

/** The maximum number of events in one run; a run with more hangs. */
const HAPPENINGS_MAX = 100_000
const setImmediateReally = globalThis.setImmediate

/**
 * The simulated time and its events. One event happens at a time, and all its immediate consequences are done
 * before the next: so a run follows from its seed.
 */
export class Machine {
  readonly random: Random
  readonly #schedule = new Schedule()
  #callsInProgress = 0
  #callsAnswered = () => {}
  happened = 0
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

  /** Moves the clock of the machine forward. Timers keep their remaining duration. */
  readonly clock = { offsetMs: 0 }

  /** Ends the run: with this error it fails. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /** Schedules an event. An event of a program is dropped once the program is killed. */
  runAfter(delayMs: number, run: () => void | Promise<void>, program?: Program): Happening {
    const happening: Happening = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      run: program ? () => (program.isDead ? undefined : runAs(program, run)) : run,
    }
    this.#schedule.add(happening)
    return happening
  }

  /** Waits for a call of the real machine, such as one to its disk: nothing happens until it returns. */
  async waitForReal<T>(answer: Promise<T>): Promise<T> {
    this.#callsInProgress += 1
    try {
      return await answer
    } finally {
      this.#callsInProgress -= 1
      if (this.#callsInProgress === 0) this.#callsAnswered()
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.runAfter(ms, resolve))
  }

  /** A duration up to `max`, mostly far below it. */
  someTime(maxMs: number): number {
    const share = this.random.integerBelow(1_000_000) / 1_000_000
    return maxMs * share * share
  }

  /** Runs events until the work is done. Throws the error of the work, or if no event is left. */
  async runUntil<T>(work: Promise<T>): Promise<T> {
    const ended: { value?: T; isDone: boolean } = { isDone: false }
    work.then(
      (value) => Object.assign(ended, { value, isDone: true }),
      (error) => this.fail(error),
    )
    try {
      for (;;) {
        await this.#settle()
        if (this.#failure) throw this.#failure.error
        if (ended.isDone) return ended.value as T
        const next = this.#schedule.take()
        if (!next) throw new Error('Everybody waits, and nothing will happen any more.')
        if (next.isCancelled) continue
        if (++this.happened > HAPPENINGS_MAX) throw new Error(`More than ${HAPPENINGS_MAX} things happened.`)
        this.#nowMs = next.atMs
        await next.run()
      }
    } finally {
      current = undefined
    }
  }

  /** Waits for all immediate consequences: promises, ticks, and calls of the real machine. */
  async #settle(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediateReally(resolve))
      if (this.#callsInProgress === 0) break
      await new Promise<void>((resolve) => {
        this.#callsAnswered = resolve
      })
    }
    current = undefined
  }
}
