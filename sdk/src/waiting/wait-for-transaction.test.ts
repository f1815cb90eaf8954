import { describe, expect, test } from 'vitest'
import { createCaller } from '../wallet/hostile-backend.testing.ts'
import { StillUnderWayError, waitForTransaction } from './wait-for-transaction.ts'

describe('waiting for a transaction', () => {
  /** A transaction that goes through the states in order, and a clock that moves only by waiting. */
  function simulate(states: readonly string[]) {
    let now = 0
    const { caller, calls } = createCaller(() => {
      const status = states[Math.min(calls.length, states.length) - 1]
      return { status: 200, body: { id: 'Transaction:1', status } }
    })
    const sleep = async (ms: number) => {
      now += ms
    }
    return { caller, calls, options: { sleep, clock: () => now }, elapsed: () => now }
  }

  test.each(['COMPLETED', 'FAILED', 'EXPIRED', 'REJECTED', 'REFUNDED'])('ends with %s', async (end) => {
    const { caller, calls, options } = simulate(['PENDING', 'PROCESSING', 'PROCESSING', end])
    expect((await waitForTransaction(caller, 'Transaction:1', options)).status).toBe(end)
    expect(calls).toHaveLength(4)
  })

  test('rejects with the last state on timeout', async () => {
    const { caller, options, elapsed } = simulate(['PROCESSING'])
    const error = await waitForTransaction(caller, 'Transaction:1', { ...options, timeoutMs: 5_000 }).catch(
      (e) => e,
    )
    expect(error).toBeInstanceOf(StillUnderWayError)
    expect(error.transaction.status).toBe('PROCESSING')
    expect(elapsed()).toBe(5_000)
  })
})
