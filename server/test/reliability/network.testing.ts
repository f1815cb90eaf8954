import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import type { Random } from './random.testing.ts'

/** The longest silence of a connection that leads nowhere. */
const SILENT_MS = 3000
const DELAY_MS_MAX = 300
/** A connection that breaks does so within as many bytes: some calls with their answers. */
const BYTES_MAX = 4000

/** What becomes of one connection. */
interface Fate {
  /** Nothing is passed on. */
  readonly isSilent?: boolean
  /** Bytes wait so long, both ways. */
  readonly delayMs?: number
  /** After so many bytes of a call, or of an answer, the connection breaks, in the middle of what is being said. */
  readonly callBytes?: number
  readonly answerBytes?: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A network between two programs: TCP on a port of its own to whatever listens at the other end at the time. */
export class Network {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The share of new connections that meet with a fault. */
  faults = 0
  /** Whether new connections are refused. */
  isDown = false
  /** How many connections have met with a fault, or were cut. */
  broken = 0

  private constructor(server: Server) {
    this.#server = server
  }

  /** `target` returns the port at the other end at the time, if there is one. */
  static async open(target: () => number | undefined, random: Random): Promise<Network> {
    const server = createServer()
    const network = new Network(server)
    server.on('connection', (caller) => {
      const port = target()
      if (network.isDown || port === undefined) caller.destroy()
      else network.#connect(caller, port, network.#fate(random))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return network
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Breaks every connection, whatever it is at. */
  cut(): void {
    this.broken += this.#sockets.size
    for (const socket of this.#sockets) socket.destroy()
  }

  /** From now on nothing fails. */
  heal(): void {
    this.faults = 0
    this.isDown = false
    this.cut()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #fate(random: Random): Fate {
    if (!random.chance(this.faults)) return {}
    this.broken += 1
    return random.pick([
      () => ({ isSilent: true }),
      () => ({ delayMs: random.below(DELAY_MS_MAX) }),
      () => ({ callBytes: random.below(BYTES_MAX) }),
      () => ({ answerBytes: random.below(BYTES_MAX) }),
    ])()
  }

  #connect(caller: Socket, port: number, fate: Fate): void {
    this.#keep(caller)
    if (fate.isSilent) {
      caller.resume()
      setTimeout(() => caller.destroy(), SILENT_MS).unref()
      return
    }
    const callee = new Socket()
    this.#keep(callee)
    callee.connect(port, '127.0.0.1')
    passOn(caller, callee, fate.delayMs, fate.callBytes)
    passOn(callee, caller, fate.delayMs, fate.answerBytes)
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

function passOn(from: Socket, to: Socket, delayMs: number | undefined, bytesMax = Number.POSITIVE_INFINITY) {
  let left = bytesMax
  let said: Promise<unknown> = Promise.resolve()
  const say = (bytes: Buffer) => {
    const part = bytes.subarray(0, left)
    left -= part.length
    to.write(part, () => {
      if (left > 0) return
      from.destroy()
      to.destroy()
    })
  }
  from.on('data', (bytes: Buffer) => {
    if (delayMs === undefined) say(bytes)
    else said = said.then(() => pause(delayMs)).then(() => say(bytes))
  })
  from.on('end', () => void said.then(() => to.end()))
  from.on('close', (hadError) => {
    if (hadError || !from.readableEnded) to.destroy()
  })
}
