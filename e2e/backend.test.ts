import { Countersign, CountersignError } from '@countersign/sdk'
import { RecipientKey } from '@countersign/sdk/wallet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFundedCustomer, makePlatform, makeQuote } from '../sdk/test/platform.testing.ts'
import { type Backend, startBackend } from './backend.testing.ts'

/** The records of a customer. */
interface CustomerRecords {
  readonly customerId: string
  readonly walletId: string
  readonly usdId: string
  readonly bankId: string
  readonly credentialId: string
  readonly sessionId: string
  readonly quoteId: string
  readonly transactionId: string
}

describe('a hostile page', () => {
  let backend: Backend
  let baseUrl: string
  let mine: CustomerRecords
  let theirs: CustomerRecords

  beforeAll(async () => {
    const platform = await makePlatform()
    baseUrl = platform.baseUrl
    const countersign = new Countersign(platform)
    const createRecords = async (email: string): Promise<CustomerRecords> => {
      const customer = await makeFundedCustomer(countersign, { email, amount: 100_000_000n })
      const wallet = countersign.wallet(customer.walletId)
      const quote = await makeQuote(countersign, {
        from: customer.walletId,
        to: customer.bankId,
        amount: 100n,
      })
      return {
        ...customer,
        credentialId: (await wallet.credentials())[0]!.id,
        sessionId: (await wallet.email.signIn({ code: '000000' })).id,
        quoteId: quote.id,
        transactionId: quote.transactionId,
      }
    }
    ;[mine, theirs] = [await createRecords('ada@example.com'), await createRecords('grace@example.com')]
    const quorumPublicKey = `04${'11'.repeat(64)}`
    backend = await startBackend({ ...platform, quorumPublicKey, me: { customerId: mine.customerId } })
  })

  afterAll(() => backend?.close())

  /** Headers that a browser adds to requests from the app's own page. */
  const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' }
  const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, backend.origin), init)
  const token = async (init: RequestInit = {}): Promise<string> => {
    const response = await ask('/token', { method: 'POST', headers: OWN_PAGE, ...init })
    return ((await response.json()) as { accessToken: string }).accessToken
  }

  test('on another origin gets no token and does not learn who is signed in', async () => {
    for (const site of ['cross-site', 'same-site', 'none', undefined])
      for (const [method, path] of [
        ['POST', '/token'],
        ['GET', '/me'],
      ] as const) {
        const headers = site === undefined ? {} : { 'Sec-Fetch-Site': site }
        const response = await ask(path, { method, headers })
        expect([response.status, await response.text()]).toEqual([403, 'Only for pages of this app.'])
      }
  })

  test('gets only the token of its own customer, whatever it requests', async () => {
    const wishes = { customerId: theirs.customerId, permissions: ['VIEW', 'TRANSACT', 'MANAGE', 'REVIEW'] }
    const accessToken = await token({ body: JSON.stringify(wishes) })
    const page = new Countersign({ baseUrl, accessToken })
    const { body } = await page.call('customer_internal_account_list')
    expect(body.data.map(({ id }) => id)).toContain(mine.walletId)
    expect(new Set(body.data.map(({ customerId }) => customerId))).toEqual(new Set([mine.customerId]))
    for (const path of ['/token?customerId=x', '/token/', '/api/customers', '/../token', '/__proto__'])
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect([403, 404]).toContain((await ask(path, { method, headers: OWN_PAGE })).status)
  })

  test("does nothing with another customer's wallet, accounts, quotes and payments", async () => {
    const page = new Countersign({ baseUrl, accessToken: await token() })
    const { walletId, usdId, bankId, credentialId, sessionId, quoteId, transactionId, customerId } = theirs
    const { clientPublicKey } = await RecipientKey.generate()
    const quote = (from: string, to: string) =>
      page.call('quote_create', {
        body: {
          source: { sourceType: 'ACCOUNT', accountId: from },
          destination: { destinationType: 'ACCOUNT', accountId: to },
          lockedCurrencySide: 'RECEIVING',
          lockedCurrencyAmount: 100n,
        },
      })
    const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
      'pays from their wallet': () => quote(walletId, mine.bankId),
      'pays from their account': () => quote(usdId, mine.bankId),
      'pays to their bank account': () => quote(mine.walletId, bankId),
      'executes their quote': () => page.call('quote_execute', { params: { quoteId } }),
      'reads their quote': () => page.call('quote_get', { params: { quoteId } }),
      'reads their payment': () => page.call('transaction_get', { params: { transactionId } }),
      'reads their bank account': () =>
        page.call('customer_external_account_get', { params: { externalAccountId: bankId } }),
      'lists their credentials': () => page.call('credential_list', { query: { accountId: walletId } }),
      'lists their sessions': () => page.call('session_list', { query: { accountId: walletId } }),
      'has a code sent to them': () => page.call('credential_challenge', { params: { id: credentialId } }),
      'adds a credential of its own': () =>
        page.call('credential_create', { body: { type: 'EMAIL_OTP', accountId: walletId } }),
      'revokes their credential': () => page.call('credential_delete', { params: { id: credentialId } }),
      'renews their session': () =>
        page.call('session_refresh', { params: { id: sessionId }, body: { clientPublicKey } }),
      'ends their session': () => page.call('session_delete', { params: { id: sessionId } }),
      'exports their wallet': () =>
        page.call('internal_account_export', { params: { id: walletId }, body: { clientPublicKey } }),
    }
    for (const [what, attempt] of Object.entries(attempts)) {
      const error = await attempt().catch((error: unknown) => error)
      expect(error, what).toBeInstanceOf(CountersignError)
      expect((error as CountersignError).status, what).toBe(404)
    }
    for (const attempt of [
      () => page.call('customer_list'),
      () => page.call('customer_get', { params: { customerId } }),
      () => page.call('config_get'),
      () => page.call('token_list'),
      () =>
        page.call('transfer_out', {
          body: { source: { accountId: usdId }, destination: { accountId: mine.bankId }, amount: 1n },
        }),
      () => page.call('customer_token_create', { body: { customerId, permissions: ['VIEW'] } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  test('on another origin is rejected even with a stolen token', async () => {
    const headers = { Authorization: `Bearer ${await token()}`, Origin: 'https://evil.example' }
    const response = await fetch(`${baseUrl}/customers/internal-accounts`, { headers })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'FORBIDDEN'])
  })
})
