import { clocks } from './clocks.ts'

/** The state of the connection to the server, derived from the responses to all calls. */
export interface ConnectionState {
  /** The latest call got no response. */
  readonly isUnreachable: boolean
  /** A call was rejected because there is no session, and no member has signed in since. */
  readonly isSignedOut: boolean
}

class Connection {
  #state: ConnectionState = { isUnreachable: false, isSignedOut: false }
  #signIns = 0
  readonly #listeners = new Set<() => void>()

  /** `fetch` that records whether the server responds and still accepts the session. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const signIns = this.#signIns
    try {
      const response = await globalThis.fetch(input, init)
      clocks.setServerTime(response.headers.get('Date'))
      const { isSignedOut } = this.#state
      // Ignore calls that started before the latest sign-in: they say nothing about the current session.
      const isRefused = response.status === 401 && signIns === this.#signIns
      this.#set({ isUnreachable: isGatewayFault(response), isSignedOut: isSignedOut || isRefused })
      return response
    } catch (error) {
      if (!init?.signal?.aborted) this.#set({ ...this.#state, isUnreachable: true })
      throw error
    }
  }

  /**
   * Called when the session is known to be valid. A successful call alone does not prove that, because some
   * calls need no session.
   */
  readonly signedIn = (): void => {
    this.#signIns += 1
    this.#set({ ...this.#state, isSignedOut: false })
  }

  readonly state = (): ConnectionState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #set(next: ConnectionState): void {
    const { isUnreachable: isAway, isSignedOut } = this.#state
    if (next.isUnreachable === isAway && next.isSignedOut === isSignedOut) return
    this.#state = next
    for (const listener of this.#listeners) listener()
  }
}

/** True if a proxy responded because it could not reach the server. */
function isGatewayFault({ status }: Response): boolean {
  return status === 502 || status === 504
}

export const connection = new Connection()
