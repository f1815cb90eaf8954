import { toJson } from '@countersign/server/base/json/json'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, createCaller, issue, QUOTE } from '../wallet/hostile-backend.testing.ts'
import { signed } from './signed-retry.ts'
import type { Signer } from './signer.ts'

describe('a signed operation', () => {
  const input = { params: { quoteId: QUOTE } }
  const issued = issue('quote_execute', input)
  const text = toJson(issued.payload)
  const { requestId, expiresAt } = issued
  const challenge = { status: 202, body: { payloadToSign: text, requestId, expiresAt } }
  const signer: Signer = { accountId: ACCOUNT, sign: async (payload) => `stamp over ${payload.text}` }
  const makeSigner = (sign: () => Promise<string>): Signer => ({ accountId: ACCOUNT, sign })

  test('repeats the call with the stamp over the exact payload and with the same key', async () => {
    const { caller, calls } = createCaller((_, { signature }) =>
      signature ? { status: 200, body: {} } : challenge,
    )
    expect(await signed(caller, 'quote_execute', input, signer)).toEqual({ status: 200, body: {} })
    const [first, second] = calls
    expect(first!.input).toEqual({ ...input, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const signature = `stamp over ${text}`
    expect(second!.input).toEqual({ ...first!.input, signature, requestId })
  })

  test('uses the idempotency key of the caller', async () => {
    const { caller, calls } = createCaller((_, { signature }) =>
      signature ? { status: 200, body: {} } : challenge,
    )
    await signed(caller, 'quote_execute', { ...input, idempotencyKey: 'mine' }, signer)
    expect(calls.map((call) => call.input.idempotencyKey)).toEqual(['mine', 'mine'])
  })

  test('returns the first response if no signature is needed', async () => {
    const { caller, calls } = createCaller(() => ({ status: 200, body: { id: QUOTE } }))
    const never = makeSigner(() => Promise.reject(new Error('nothing to sign')))
    expect(await signed(caller, 'quote_execute', input, never)).toMatchObject({ status: 200 })
    expect(calls).toHaveLength(1)
  })

  test('stops if the customer does not sign', async () => {
    const { caller, calls } = createCaller(() => challenge)
    const refuses = makeSigner(() => Promise.reject(new Error('I do not want to')))
    await expect(signed(caller, 'quote_execute', input, refuses)).rejects.toThrow('I do not want to')
    expect(calls).toHaveLength(1)
  })
})
