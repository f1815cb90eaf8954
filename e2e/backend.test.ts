import { API, type EndpointName } from '@countersign/contract/api'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFundedCustomer, makePlatform, makeQuote } from '../sdk/test/platform.testing.ts'
import { type Backend, startBackend } from './backend.testing.ts'
import { ALLOWED } from './gate.testing.ts'

interface Owned {
  readonly [kind: string]: string
}
interface Call {
  params: Record<string, string>
  query: Record<string, string>
  body?: Record<string, unknown>
}

const KEY = `04${'11'.repeat(64)}`

/** The input of each call beside the ids that the table names. */
const BODIES: Partial<Record<EndpointName, Record<string, unknown>>> = {
  credential_challenge: {},
  credential_verify: { type: 'EMAIL_OTP', encryptedOtpBundle: '{}' },
  credential_create: { type: 'SMS_OTP', phoneNumber: '+14155552671' },
  session_refresh: { clientPublicKey: KEY },
  internal_account_export: { clientPublicKey: KEY },
  quote_create: {
    source: { sourceType: 'ACCOUNT' },
    destination: { destinationType: 'ACCOUNT' },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 100,
  },
}

describe('the backend of a page', () => {
  let backend: Backend
  let mine: Owned
  let theirs: Owned

  beforeAll(async () => {
    const platform = await makePlatform()
    const countersign = new Countersign(platform)
    const own = async (email: string): Promise<Owned> => {
      const customer = await makeFundedCustomer(countersign, { email, amount: 100_000_000n })
      const { customerId, walletId, bankId } = customer
      const wallet = countersign.wallet(walletId)
      const quote = await makeQuote(countersign, { from: walletId, to: bankId, amount: 100n })
      return {
        Customer: customerId,
        InternalAccount: walletId,
        ExternalAccount: bankId,
        AuthMethod: (await wallet.credentials())[0]!.id,
        Session: (await wallet.email.signIn({ code: '000000' })).id,
        Quote: quote.id,
        Transaction: quote.transactionId,
      }
    }
    ;[mine, theirs] = [await own('ada@example.com'), await own('grace@example.com')]
    backend = await startBackend({ ...platform, quorumPublicKey: KEY, me: { customerId: mine.Customer! } })
  })

  afterAll(() => backend?.close())

  const names = Object.keys(ALLOWED) as EndpointName[]
  const placesOf = (name: EndpointName) => Object.entries(ALLOWED[name]!)

  /** The call of the page with its own ids, or with one replaced. */
  function callOf(name: EndpointName, exchanged: Readonly<Record<string, string | undefined>> = {}): Call {
    const call: Call = { params: {}, query: {}, body: structuredClone(BODIES[name]) as never }
    for (const [place, kind] of placesOf(name)) {
      const id = Object.hasOwn(exchanged, place) ? exchanged[place] : mine[kind]
      const path = place.split('.')
      const last = path.pop()!
      const part = path.reduce<Record<string, unknown>>((at, member) => at[member] as never, call as never)
      if (id !== undefined) part[last] = id
    }
    return call
  }

  async function send(
    name: EndpointName,
    { params, query, body }: Call,
    more = '',
    text?: string,
  ): Promise<number> {
    const { method, path } = API[name]
    const at = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? '')
    const sent = text ?? (body && JSON.stringify(body))
    const headers = { 'Content-Type': 'application/json' }
    const url = `${backend.origin}/api${at}?${new URLSearchParams(query)}${more}`
    return (await fetch(url, { method, headers, ...(sent ? { body: sent } : {}) })).status
  }

  const refuses = async (name: EndpointName, call: Call, more?: string, text?: string) => {
    const before = backend.passedOn.length
    expect([name, await send(name, call, more, text)]).toEqual([name, 403])
    expect(backend.passedOn.length).toBe(before)
  }

  test.each(names)('forwards %s for the customer’s own records only', async (name) => {
    const before = backend.passedOn.length
    expect(await send(name, callOf(name))).not.toBe(403)
    expect(backend.passedOn.length).toBe(before + 1)
    for (const [place, kind] of placesOf(name)) {
      await refuses(name, callOf(name, { [place]: theirs[kind] }))
      await refuses(name, callOf(name, { [place]: `${kind}:0199a3c1-5b1e-7c55-b1a4-3f1c8d1f7a10` }))
      // An id of another kind, and a missing one.
      await refuses(name, callOf(name, { [place]: kind === 'Customer' ? mine.Quote : mine.Customer }))
      if (!place.startsWith('params.')) await refuses(name, callOf(name, { [place]: undefined }))
    }
  })

  test.each(names)('refuses %s with another customer’s id beside the checked ones', async (name) => {
    const call = callOf(name)
    await refuses(name, { ...call, query: { ...call.query, customerId: theirs.Customer! } })
    await refuses(name, { ...call, query: { ...call.query, filter: theirs.InternalAccount! } })
    const [query] = Object.keys(call.query)
    if (query !== undefined)
      await refuses(name, call, `&${query}=${theirs[ALLOWED[name]![`query.${query}`]!]}`)
    if (!call.body) return
    await refuses(name, { ...call, body: { ...call.body, customerId: theirs.Customer } })
    await refuses(name, { ...call, body: { ...call.body, more: [{ accountId: theirs.InternalAccount }] } })
    // A duplicate member: the checked value must be the forwarded one.
    const twice = JSON.stringify(call.body).replace(/\}$/, `,"accountId":"${theirs.InternalAccount}"}`)
    await refuses(name, call, '', twice)
    await refuses(name, call, '', '{"accountId"')
  })

  test('refuses every other call of the API', async () => {
    const others = (Object.keys(API) as EndpointName[]).filter((name) => !ALLOWED[name])
    expect(others.length).toBeGreaterThan(60)
    for (const name of others) {
      const { path, method } = API[name]
      const params = Object.fromEntries(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => [param!, mine.Customer!]),
      )
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: { customerId: mine.Customer } }
      await refuses(name, { params, query: {}, ...body })
    }
  })

  test('reads a path the same way, however it is escaped', async () => {
    const quote = theirs.Quote!.replace('Quote', '%51uote')
    await refuses('quote_execute', { params: { quoteId: quote }, query: {} })
    await refuses('quote_execute', { params: { quoteId: `${mine.Quote}%2F..%2F${theirs.Quote}` }, query: {} })
    await refuses('transaction_get', { params: { transactionId: '%E0%A4%A' }, query: {} })
  })

  test('registers a passkey only with a challenge of its own', async () => {
    const body = { type: 'PASSKEY', nickname: 'Phone', challenge: 'made by the page', attestation: {} }
    await refuses('credential_create', {
      params: {},
      query: {},
      body: { ...body, accountId: mine.InternalAccount },
    })
  })
})
