import { toJson } from '@countersign/server/json/json'
import { describe, expect, test } from 'vitest'
import type { Caller } from './calls.ts'
import { ACCOUNT, issue, PAYEE, PAYMENT, QUOTE } from './hostile-backend.testing.ts'
import { paginate } from './paginate.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'
import { membersOf, statementOf } from './statement.ts'
import { StillUnderWayError, waitForTransaction } from './wait-for-transaction.ts'

/** A `Caller` that answers by a function. */
function callerOf(answer: (name: string, input: Record<string, unknown>) => unknown) {
  const calls: { name: string; input: Record<string, unknown> }[] = []
  const caller = {
    call: async (name: string, input: Record<string, unknown> = {}) => {
      calls.push({ name, input })
      return answer(name, input)
    },
  } as unknown as Caller
  return { caller, calls }
}

describe('a signed operation', () => {
  const input = { params: { quoteId: QUOTE } }
  const issued = issue('quote_execute', input)
  const text = toJson(issued.payload)
  const { requestId, expiresAt } = issued
  const challenge = { status: 202, body: { payloadToSign: text, requestId, expiresAt } }
  const signer: Signer = { accountId: ACCOUNT, sign: async (payload) => `stamp over ${payload.text}` }
  const signerOf = (sign: () => Promise<string>): Signer => ({ accountId: ACCOUNT, sign })

  test('repeats the call with the stamp over the exact payload and with the same key', async () => {
    const { caller, calls } = callerOf((_, { signature }) =>
      signature ? { status: 200, body: {} } : challenge,
    )
    expect(await signed(caller, 'quote_execute', input, signer)).toEqual({ status: 200, body: {} })
    const [first, second] = calls
    expect(first!.input).toEqual({ ...input, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const signature = `stamp over ${text}`
    expect(second!.input).toEqual({ ...first!.input, signature, requestId })
  })

  test('keeps a given key', async () => {
    const { caller, calls } = callerOf((_, { signature }) =>
      signature ? { status: 200, body: {} } : challenge,
    )
    await signed(caller, 'quote_execute', { ...input, idempotencyKey: 'mine' }, signer)
    expect(calls.map((call) => call.input.idempotencyKey)).toEqual(['mine', 'mine'])
  })

  test('returns an answer unchanged where nothing has to be signed', async () => {
    const { caller, calls } = callerOf(() => ({ status: 200, body: { id: QUOTE } }))
    const never = signerOf(() => Promise.reject(new Error('nothing to sign')))
    expect(await signed(caller, 'quote_execute', input, never)).toMatchObject({ status: 200 })
    expect(calls).toHaveLength(1)
  })

  test('stops when the person does not sign', async () => {
    const { caller, calls } = callerOf(() => challenge)
    const refuses = signerOf(() => Promise.reject(new Error('I do not want to')))
    await expect(signed(caller, 'quote_execute', input, refuses)).rejects.toThrow('I do not want to')
    expect(calls).toHaveLength(1)
  })
})

describe('a paged list', () => {
  test('is read page by page, with the same query, only as far as it is consumed', async () => {
    const pages: Record<string, unknown> = {
      '': { data: [1, 2], hasMore: true, nextCursor: 'a' },
      a: { data: [], hasMore: true, nextCursor: 'b' },
      b: { data: [3], hasMore: false },
    }
    const { caller, calls } = callerOf((_, { query }) => {
      return { status: 200, body: pages[(query as { cursor?: string }).cursor ?? ''] }
    })
    const all: unknown[] = []
    for await (const item of paginate(caller, 'customer_list', { query: { region: 'US' } })) all.push(item)
    expect(all).toEqual([1, 2, 3])
    expect(calls.map(({ input }) => input.query)).toEqual([
      { region: 'US' },
      { region: 'US', cursor: 'a' },
      { region: 'US', cursor: 'b' },
    ])
    for await (const item of paginate(caller, 'customer_list')) {
      expect(item).toBe(1)
      break
    }
    expect(calls).toHaveLength(4)
  })
})

describe('waiting for a transaction', () => {
  /** A transaction that goes through the states in order, and a clock that moves only by waiting. */
  function simulate(states: readonly string[]) {
    let now = 0
    const { caller, calls } = callerOf(() => {
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

  test('rejects on timeout, with the last state', async () => {
    const { caller, options, elapsed } = simulate(['PROCESSING'])
    const error = await waitForTransaction(caller, 'Transaction:1', { ...options, timeoutMs: 5_000 }).catch(
      (e) => e,
    )
    expect(error).toBeInstanceOf(StillUnderWayError)
    expect(error.transaction.status).toBe('PROCESSING')
    expect(elapsed()).toBe(5_000)
  })
})

describe('the words of a payload', () => {
  test('are read, with amounts exact', () => {
    const statement = statementOf(toJson(issue('quote_execute', {}).payload))
    expect(statement).toMatchObject({ operation: 'quote_execute', account: ACCOUNT, sends: PAYMENT.sends })
    expect(membersOf(PAYEE)).toContainEqual(['accountInfo.beneficiary.fullName', 'Ada Lovelace'])
  })

  test.each([
    '',
    'eyJhbGciOiJFUzI1NiJ9.e30.c2ln',
    'null',
    '[]',
    '{}',
    '{"operation":1}',
    '{"operation":"toString"}',
  ])('%j has no statement', (payload) => {
    expect(statementOf(payload)).toBeUndefined()
  })
})
