import crypto from 'node:crypto'
import fsSync from 'node:fs'
import fs from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { p256 } from '@noble/curves/nist.js'
import { Agent, Client, type Dispatcher } from 'undici'
import { installStreams, installWriting } from './disk-streams.ts'
import { getCurrentProgram, type Machine, type Program } from './machine.ts'
import type { Network } from './network.ts'
import { Random } from './random.ts'
import type { ScheduledEvent } from './schedule.ts'

/**
 * Replacements for the machine's time, randomness, network and disk. The programs of the simulation use them
 * and otherwise run unchanged, with the same modules. The simulation itself uses only the replaced time of
 * day and randomness.
 */
interface Installation {
  readonly machine: Machine
  readonly network: Network
  readonly bytes: Random
  /** Randomness for key pairs. */
  readonly keys: Random
}

let installation: Installation | undefined

/** Returns the simulated machine if a program of the simulation is running. */
function findSimulation(): { machine: Machine; program: Program } | undefined {
  const program = getCurrentProgram()
  return program && installation ? { machine: installation.machine, program } : undefined
}

const real = {
  Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  performanceNow: performance.now.bind(performance),
  pause: timersPromises.setTimeout,
  createServer: http.createServer,
  mathRandom: Math.random,
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
  createECDH: crypto.createECDH,
  getRandomValues: globalThis.crypto.getRandomValues.bind(globalThis.crypto),
  signalAfter: AbortSignal.timeout,
}

/** Elapsed real time in milliseconds. */
export const realNow = real.performanceNow

/** Replaces the real machine with the simulated one, for programs that run in the simulation. */
export function install(machine: Machine, network: Network): void {
  const seed = machine.random.integerBelow(2 ** 31)
  installation = { machine, network, bytes: new Random(seed), keys: new Random(seed + 1) }
}

/** Counts the calls for randomness, so that pools of random bytes can be brought to a known state. */
export const randomness = { callCount: 0 }

/** The time of day while no machine is installed. */
let frozenAtMs: number | undefined

/** Freezes the time of day until a machine is installed, so that the database sees only simulated times. */
export function freezeTime(atMs: number): void {
  if (frozenAtMs !== undefined) return
  frozenAtMs = atMs
  installTime()
  installTimers()
  installRandomness()
  installNetwork()
  installDisk()
  installStreams()
  installWriting()
  installCompiler()
  syncBuiltinESMExports()
}

function readTimeOfDay(): number {
  if (!installation) return frozenAtMs ?? real.Date.now()
  return Math.floor(installation.machine.nowMs + installation.machine.clock.offsetMs)
}

function installTime(): void {
  class VirtualDate extends real.Date {
    constructor(...args: unknown[]) {
      // @ts-expect-error: Date's constructor has several overloads
      super(...(args.length === 0 ? [readTimeOfDay()] : args))
    }
    static override now(): number {
      return readTimeOfDay()
    }
  }
  globalThis.Date = VirtualDate as DateConstructor
  performance.now = () => {
    const found = findSimulation()
    return found ? found.machine.nowMs - found.machine.startMs : real.performanceNow()
  }
}

/** A timer of a program. */
class Timer {
  #event: ScheduledEvent
  readonly #scheduleNext: () => ScheduledEvent

  constructor(start: () => ScheduledEvent) {
    this.#scheduleNext = start
    this.#event = start()
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
  refresh(): this {
    this.close()
    this.#event = this.#scheduleNext()
    return this
  }
  close(): this {
    this.#event.isCanceled = true
    return this
  }
  /** Switches to the event of the next interval run. */
  follow(event: ScheduledEvent): void {
    this.#event = event
  }
  [Symbol.dispose](): void {
    this.close()
  }
}

type Callback = (...args: unknown[]) => void

/** Fails the run on an uncaught error, which would have terminated the program. */
function guardCallback(machine: Machine, callback: Callback, args: unknown[]): () => void {
  return () => {
    try {
      callback(...args)
    } catch (error) {
      machine.fail(error)
    }
  }
}

function setVirtualTimeout(callback: Callback, ms = 0, ...args: unknown[]): unknown {
  const found = findSimulation()
  if (!found) return real.setTimeout(callback, ms, ...args)
  const { machine, program } = found
  return new Timer(() => machine.runAfter(Math.max(1, ms), guardCallback(machine, callback, args), program))
}

function setVirtualInterval(callback: Callback, ms = 0, ...args: unknown[]): unknown {
  const found = findSimulation()
  if (!found) return real.setInterval(callback, ms, ...args)
  const { machine, program } = found
  const runCallback = guardCallback(machine, callback, args)
  const scheduleNext = (): ScheduledEvent =>
    machine.runAfter(
      Math.max(1, ms),
      () => {
        timer.follow(scheduleNext())
        runCallback()
      },
      program,
    )
  const timer = new Timer(scheduleNext)
  return timer
}

function setVirtualImmediate(callback: Callback, ...args: unknown[]): unknown {
  const found = findSimulation()
  if (!found) return real.setImmediate(callback, ...args)
  const { machine, program } = found
  return new Timer(() => machine.runAfter(0, guardCallback(machine, callback, args), program))
}

function installTimers(): void {
  const clear = (realClear: (timer: never) => void) => (timer: unknown) => {
    if (timer instanceof Timer) timer.close()
    else realClear(timer as never)
  }
  Object.assign(globalThis, {
    setTimeout: setVirtualTimeout,
    setInterval: setVirtualInterval,
    setImmediate: setVirtualImmediate,
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
  })
  timersPromises.setTimeout = ((ms?: number, value?: unknown, options?: object) => {
    const found = findSimulation()
    if (!found) return real.pause(ms, value, options)
    return new Promise((resolve) =>
      found.machine.runAfter(ms ?? 1, () => resolve(value as never), found.program),
    )
  }) as typeof timersPromises.setTimeout
  AbortSignal.timeout = (ms) => {
    const found = findSimulation()
    if (!found) return real.signalAfter.call(AbortSignal, ms)
    const controller = new AbortController()
    const abort = () => controller.abort(new DOMException('The operation timed out', 'TimeoutError'))
    found.machine.runAfter(ms, abort, found.program)
    return controller.signal
  }
}

/** Scalar size on the curve P-256. */
const SCALAR_BYTES = 32

interface EcdsaKey {
  readonly key: crypto.KeyObject
  readonly dsaEncoding: 'der' | 'ieee-p1363'
}

/**
 * Derives key pairs from the seed and makes signatures deterministic (RFC 6979). OpenSSL would use its own
 * randomness, and both keys and signatures appear in responses and events.
 */
function installRandomness(): void {
  const fillBytes = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
    randomness.callCount += 1
    installation!.bytes.fill(bytes)
    return bytes
  }
  crypto.randomBytes = ((size: number, callback?: (error: null, bytes: Buffer) => void) => {
    if (callback) throw new Error('The simulation returns random bytes only synchronously.')
    return fillBytes(Buffer.alloc(size))
  }) as typeof crypto.randomBytes
  crypto.randomFillSync = ((bytes: NodeJS.ArrayBufferView) => {
    fillBytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return bytes
  }) as typeof crypto.randomFillSync
  crypto.createECDH = (curve) => {
    const ecdh = real.createECDH(curve)
    const generateKeys = (): Buffer => {
      const scalar = Buffer.alloc(SCALAR_BYTES)
      installation!.keys.fill(scalar)
      ecdh.setPrivateKey(scalar)
      return ecdh.getPublicKey()
    }
    return Object.assign(ecdh, { generateKeys })
  }
  crypto.sign = ((
    algorithm: string,
    data: Uint8Array,
    { key, dsaEncoding }: EcdsaKey,
    callback?: (error: null, signature: Buffer) => void,
  ) => {
    if (algorithm !== 'sha256') throw new Error(`The simulation does not sign with ${algorithm}.`)
    const { d = '' } = key.export({ format: 'jwk' })
    const format = dsaEncoding === 'der' ? 'der' : 'compact'
    const signature = Buffer.from(p256.sign(data, Buffer.from(d, 'base64url'), { format, lowS: false }))
    callback?.(null, signature)
    return signature
  }) as typeof crypto.sign
  crypto.randomUUID = (() => {
    const bytes = fillBytes(Buffer.alloc(16))
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }) as typeof crypto.randomUUID
  Math.random = () =>
    findSimulation() ? fillBytes(Buffer.alloc(4)).readUInt32LE() / 2 ** 32 : real.mathRandom()
  globalThis.crypto.getRandomValues = ((bytes: NodeJS.ArrayBufferView) => {
    fillBytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return bytes
  }) as typeof globalThis.crypto.getRandomValues
}

function installNetwork(): void {
  for (const protocol of [http, https]) {
    const realRequest = protocol.request
    protocol.request = ((target: URL, options: http.RequestOptions, onResponse?: never) => {
      const found = findSimulation()
      if (!found) return realRequest(target, options, onResponse)
      return installation!.network.request(found.program, target, options, onResponse)
    }) as typeof protocol.request
  }
  for (const dispatcher of [Agent, Client]) {
    const realDispatch = dispatcher.prototype.dispatch
    dispatcher.prototype.dispatch = function (this: Dispatcher, options, handler) {
      const found = findSimulation()
      if (!found) return realDispatch.call(this, options, handler)
      return installation!.network.dispatch(found.program, options, handler)
    }
  }
  // Countersign's own servers pass options instead, and they never listen.
  http.createServer = ((...args: [http.RequestListener] | [http.ServerOptions, http.RequestListener]) => {
    const found = findSimulation()
    if (!found || typeof args[0] !== 'function') return real.createServer(...(args as [never, never]))
    return installation!.network.createServer(found.program, args[0])
  }) as typeof http.createServer
}

/**
 * Makes disk operations take no simulated time. The disk is real: a program's operations finish immediately,
 * or the machine waits for them.
 */
function installDisk(): void {
  const { open } = fs
  for (const [name, call] of Object.entries(fs)) {
    const synchronous: unknown = Reflect.get(fsSync, `${name}Sync`)
    if (name === 'open' || typeof call !== 'function' || typeof synchronous !== 'function') continue
    Object.assign(fs, {
      [name]: async (...args: unknown[]) => Reflect.apply(findSimulation() ? synchronous : call, fs, args),
    })
  }
  let isHandleInstalled = false
  fs.open = async (...args) => {
    const found = findSimulation()
    if (!found) return open(...args)
    const file = await found.machine.waitForReal(open(...args))
    if (!isHandleInstalled) waitForCalls(Object.getPrototypeOf(file))
    isHandleInstalled = true
    // Each handle also has its own functions. The handles of a killed program are closed.
    const { close } = file
    waitForCalls(file)
    found.program.onKill(() => void close())
    return file
  }
}

/** Makes the machine wait for the promises that these functions return to a program. */
function waitForCalls(functions: object): void {
  for (const name of Object.getOwnPropertyNames(functions)) {
    const { value: call, writable } = Object.getOwnPropertyDescriptor(functions, name)!
    if (typeof call !== 'function' || !writable || name === 'constructor') continue
    Object.assign(functions, {
      [name](this: unknown, ...args: unknown[]) {
        const result = Reflect.apply(call, this, args)
        const found = findSimulation()
        return found && result instanceof Promise ? found.machine.waitForReal(result) : result
      },
    })
  }
}

/**
 * Caches compiled code. Every server that starts compiles the same code for its routes, and the code has no
 * state.
 */
function installCompiler(): void {
  const compiled = new Map<string, object>()
  globalThis.Function = new Proxy(Function, {
    construct(target, texts: string[]) {
      const key = texts.join('\0')
      const cached = compiled.get(key) ?? Reflect.construct(target, texts)
      compiled.set(key, cached)
      return cached
    },
  })
}
