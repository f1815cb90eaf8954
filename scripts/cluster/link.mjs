import { createServer, Socket } from 'node:net'

/**
 * A simulated network cable between two ports. While it is pulled, it forwards nothing and closes nothing, as
 * if the machine had disappeared.
 */
export class Link {
  #sockets = new Set()
  #server = createServer({ allowHalfOpen: true }, (caller) => this.#connect(caller))
  #isCut = false

  /** @param {number | (() => number)} target a port, or a function that returns it for each connection */
  constructor(target) {
    this.target = typeof target === 'number' ? () => target : target
    this.port = 0
  }

  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.on('error', reject)
      this.#server.listen(0, '127.0.0.1', () => resolve(undefined))
    })
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port
  }

  cut() {
    this.#isCut = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** Closes connections from before the cut, as happens after a long cut. */
  heal() {
    this.#isCut = false
    this.#breakAll()
  }

  async close() {
    this.#breakAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #breakAll() {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** @param {Socket} caller */
  #connect(caller) {
    this.#track(caller)
    // The caller gets no response until the cable is plugged in again.
    if (this.#isCut) {
      caller.pause()
      return
    }
    const callee = new Socket({ allowHalfOpen: true })
    this.#track(callee)
    callee.connect(this.target(), '127.0.0.1')
    this.#forward(caller, callee)
    this.#forward(callee, caller)
  }

  /** @param {Socket} socket */
  #track(socket) {
    socket.setNoDelay(true)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  /** @param {Socket} from @param {Socket} to */
  #forward(from, to) {
    from.on('data', (bytes) => {
      if (this.#isCut) return
      if (!to.write(bytes)) {
        from.pause()
        to.once('drain', () => this.#isCut || from.resume())
      }
    })
    from.on('end', () => this.#isCut || to.end())
    from.on('close', () => this.#isCut || to.destroy())
  }
}
