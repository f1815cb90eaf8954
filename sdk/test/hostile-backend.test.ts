import { beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../src/client/calls.ts'
import { toJson } from '../src/json/json.ts'
import { PayloadMismatchError } from '../src/signing/payload-mismatch.ts'
import { signed } from '../src/signing/signed-retry.ts'
import { SoftwareAuthenticator } from '../src/testing/software-authenticator.ts'
import { RecipientKey } from '../src/wallet/recipient-key.ts'
import { Wallet } from '../src/wallet/wallet.ts'
import { makeClient, makeFundedCustomer, makeQuote } from './platform.testing.ts'

type Countersign = Awaited<ReturnType<typeof makeClient>>
type Answer = { status: number; body: Record<string, unknown> }
type Input = Record<string, unknown>

/** A backend that forwards every call to the real server, and may run code before or afterwards. */
function makeProxy(countersign: Countersign) {
  const calls: { name: string; input: Input }[] = []
  const rules = {
    before: (_name: string, input: Input): Input => input,
    after: async (_name: string, answer: Answer): Promise<Answer> => answer,
  }
  const call = async (name: string, input: Input = {}) => {
    calls.push({ name, input })
    const pass = countersign.call as unknown as (name: string, input: Input) => Promise<Answer>
    return rules.after(name, await pass.call(countersign, name, rules.before(name, input)))
  }
  return { caller: { call } as unknown as Caller, rules, seen: calls }
}

describe('a backend between a wallet and the server', () => {
  let countersign: Countersign
  let customer: Awaited<ReturnType<typeof makeFundedCustomer>>
  let quorumPublicKey: string

  beforeAll(async () => {
    countersign = await makeClient()
    customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 100_000_000n })
    quorumPublicKey = await countersign.quorumPublicKey()
  })

  const openWallet = (caller: Caller) =>
    new Wallet(caller, customer.walletId, {
      quorumPublicKey,
      authenticator: new SoftwareAuthenticator({ origin: 'http://localhost:3000' }),
    })
  const balance = async () => {
    const query = { customerId: customer.customerId, type: 'EMBEDDED_WALLET' } as const
    return (await countersign.call('customer_internal_account_list', { query })).body.data[0]!.balance.amount
  }

  test('does not get a quote signed in place of a refresh of the session', async () => {
    const { caller, rules, seen: calls } = makeProxy(countersign)
    const session = await openWallet(caller).email.signIn({ code: '000000' })
    const before = await balance()
    const { id } = await makeQuote(countersign, {
      from: customer.walletId,
      to: customer.bankId,
      amount: 9_000n,
    })
    rules.after = async (name, answer) => {
      if (name !== 'session_refresh') return answer
      const response = await countersign.call('quote_execute', { params: { quoteId: id } })
      return response as unknown as Answer
    }
    await expect(session.refresh()).rejects.toMatchObject({
      name: 'PayloadMismatchError',
      member: 'operation',
    })
    expect(calls.at(-1)).toMatchObject({ name: 'session_refresh' })
    expect(calls.at(-1)?.input).not.toHaveProperty('signature')
    expect(await balance()).toBe(before)
  })

  test('does not get a different payment signed than the requested one', async () => {
    const { caller, rules, seen: calls } = makeProxy(countersign)
    const session = await openWallet(caller).email.signIn({ code: '000000' })
    const quote = (amount: bigint) =>
      makeQuote(countersign, { from: customer.walletId, to: customer.bankId, amount })
    const [mine, other] = [await quote(100n), await quote(9_000n)]
    rules.before = (name, input) =>
      name === 'quote_execute' ? { ...input, params: { quoteId: other.id } } : input
    const pays = signed(
      caller,
      'quote_execute',
      { params: { quoteId: mine.id } },
      session.confirmedBy(() => true),
    )
    await expect(pays).rejects.toMatchObject({ member: 'target' })
    expect(calls.filter(({ input }) => input.signature !== undefined).map(({ name }) => name)).toEqual([
      'credential_verify',
    ])
    const swapped = { ...mine, paymentInstructions: other.paymentInstructions! }
    await expect(session.confirmedBy(() => true).approveQuote(swapped)).rejects.toMatchObject({
      member: 'target',
    })
  })

  test('does not receive the session of a passkey by putting its own key into the challenge', async () => {
    const { caller, rules, seen: calls } = makeProxy(countersign)
    const wallet = openWallet(caller)
    const session = await wallet.email.signIn({ code: '000000' })
    await wallet.passkey.register({ nickname: 'Phone', challenge: crypto.randomUUID(), session })
    expect((await wallet.passkey.signIn()).accountId).toBe(customer.walletId)
    const { clientPublicKey } = await RecipientKey.generate()
    rules.before = (name, input) =>
      name === 'credential_challenge' ? { ...input, body: { clientPublicKey } } : input
    const error = await wallet.passkey.signIn().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PayloadMismatchError)
    expect(error).toMatchObject({ member: 'clientPublicKey' })
    expect(calls.at(-1)?.name).toBe('credential_challenge')
    // Changing only the text, from which the authenticator's challenge is derived, does not help either.
    rules.before = (_, input) => input
    rules.after = async (name, { status, body }) =>
      name === 'credential_challenge'
        ? { status, body: { ...body, payloadToSign: toJson({ operation: 'credential_verify' }) } }
        : { status, body }
    await expect(wallet.passkey.signIn()).rejects.toBeInstanceOf(PayloadMismatchError)
  })
})
