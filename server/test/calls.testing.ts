import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/endpoint'
import { errorsOf } from '@countersign/contract/endpoint-errors'
import { ERRORS, type ErrorCode } from '@countersign/contract/errors'
import { ID_KINDS, type IdKind } from '@countersign/contract/ids'
import { expect } from 'vitest'
import { toJson } from '../src/json.ts'
import { type Client, credentialOf, fund, newBankAccount, newCustomer, type Reply } from './client.testing.ts'
import { type Json, type JsonSchema, samples } from './schemas.testing.ts'

/** The endpoints as data: what is added to the table is tested without more being written. */
export const ENDPOINTS: readonly (readonly [name: EndpointName, endpoint: Endpoint])[] =
  Object.entries<Endpoint>(API).map(([name, endpoint]) => [name as EndpointName, endpoint])

/** Runs an action on every item, a few at a time, so that a matrix of thousands is neither slow nor a flood. */
export async function forEach<T>(
  items: readonly T[],
  action: (item: T, index: number) => Promise<void>,
  width = 24,
) {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      await action(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}

/** What a path's parameter names: a record by its id, or whoever is at an UMA address. */
export type ParamKind = IdKind | 'UmaAddress'

/** An id of the right shape that nothing has. */
export function missingId(kind: string): string {
  if (kind === 'UmaAddress') return '$nobody@uma.example'
  return `${kind}:01900000-0000-7000-8000-0000000000ff`
}

/** The kind of record that a path's parameter names, by the parameter's name or by where it stands. */
export function kindOfParam({ path }: Endpoint, name: string): ParamKind {
  const byName = ID_KINDS.find((kind) => name === `${kind[0]!.toLowerCase()}${kind.slice(1)}Id`)
  const kind = byName ?? KIND_BY_PLACE[path.slice(0, path.indexOf(`/{${name}}`))]
  if (!kind) throw new Error(`${path}: say in KIND_BY_PLACE what {${name}} is the id of`)
  return kind
}

const KIND_BY_PLACE: Readonly<Record<string, ParamKind>> = {
  '/auth/credentials': 'AuthMethod',
  '/auth/sessions': 'Session',
  '/sandbox/internal-accounts': 'InternalAccount',
  '/internal-accounts': 'InternalAccount',
  '/receiver/uma': 'UmaAddress',
  '/receiver/external-account': 'ExternalAccount',
}

/** The path of an endpoint with these parameters, each by its kind. */
export function pathWith(endpoint: Endpoint, idOf: (kind: ParamKind) => string): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(idOf(kindOfParam(endpoint, name))).replaceAll('%3A', ':'),
  )
}

/** A path that leads to the endpoint, and there to nothing. */
export function pathToNothing(endpoint: Endpoint): string {
  return pathWith(endpoint, missingId)
}

/** A platform with one record of every kind that there is so far. */
export interface World {
  readonly client: Client
  readonly customer: Awaited<ReturnType<typeof newCustomer>>
  readonly ids: Partial<Record<ParamKind, string>>
}

/** Fills a platform: a customer with money, a bank account, and a quote with its transaction. */
export async function newWorld(client: Client): Promise<World> {
  const customer = await newCustomer(client)
  const [external] = await Promise.all([
    newBankAccount(client, customer.id),
    fund(client, customer.usd, 1_000_000),
  ])
  const ids: Partial<Record<ParamKind, string>> = {
    Token: client.credentials.tokenId,
    Customer: customer.id,
    InternalAccount: customer.usd,
    ExternalAccount: external,
    AuthMethod: await credentialOf(client, customer.wallet),
    UmaAddress: (await client.get(`/customers/${customer.id}`)).body.umaAddress,
  }
  const quote = await client.post('/quotes', validBody('quote_create', ids))
  if (quote.status !== 201) throw new Error(toJson(quote.body))
  ids.Event = await firstEvent(client)
  return { client, customer, ids: { ...ids, Quote: quote.body.id, Transaction: quote.body.transactionId } }
}

/** What happened first on a platform. The feed shows it once no transaction of before is open any more. */
async function firstEvent(client: Client): Promise<string> {
  for (;;) {
    const [event] = (await client.get('/events?limit=1')).body.data
    if (event) return event.id
  }
}

let made = 0

/** A body that the endpoint accepts, with the ids of a world. One that is not written here is made from its schema. */
export function validBody(name: EndpointName, ids: World['ids']): Json | undefined {
  const { body } = API[name] as Endpoint
  if (!body) return undefined
  const written = BODIES[name]?.(ids, ++made)
  return written ?? samples(body as JsonSchema)[0]!
}

const BODIES: Partial<Record<EndpointName, (ids: World['ids'], unique: number) => Json>> = {
  config_update: () => ({}),
  token_create: (_, unique) => ({ name: `Token ${unique}`, permissions: ['VIEW'] }),
  customer_create: () => ({ customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }),
  customer_update: () => ({ customerType: 'INDIVIDUAL', fullName: 'Ada King' }),
  customer_external_account_create: ({ Customer }, unique) => ({
    customerId: Customer!,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${1_000_000_000 + unique}999`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  }),
  platform_external_account_create: (_, unique) => ({
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `${2_000_000_000 + unique}999`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Lovelace Ltd' },
    },
  }),
  credential_challenge: () => ({}),
  credential_verify: () => ({ type: 'EMAIL_OTP', encryptedOtpBundle: '{}' }),
  quote_create: ({ Customer, InternalAccount, ExternalAccount }) => ({
    source: { sourceType: 'ACCOUNT', accountId: InternalAccount!, customerId: Customer! },
    destination: { destinationType: 'ACCOUNT', accountId: ExternalAccount! },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1000,
  }),
  transfer_in: ({ InternalAccount, ExternalAccount }) => ({
    source: { accountId: ExternalAccount! },
    destination: { accountId: InternalAccount! },
    amount: 100,
  }),
  transfer_out: ({ InternalAccount, ExternalAccount }) => ({
    source: { accountId: InternalAccount! },
    destination: { accountId: ExternalAccount! },
    amount: 100,
  }),
  sandbox_send: ({ Quote }) => ({ quoteId: Quote!, currencyCode: 'USD' }),
  sandbox_account_fund: () => ({ amount: 100 }),
  sandbox_uma_receive: ({ Customer }) => ({
    senderUmaAddress: '$grace@bank.example',
    customerId: Customer!,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 100,
  }),
  sandbox_clock_advance: () => ({ seconds: 0 }),
}

/** Holds an answer to the form of an error (specification 7), and to what the caller may expect. */
export function expectError(
  reply: Reply,
  expected: { code: ErrorCode; field?: string; what?: string; reason?: string },
) {
  const { code, field, what = '' } = expected
  const seen = `${what} → ${reply.status} ${toJson(reply.body)}`
  expect(reply.body, seen).toMatchObject({ status: reply.status, code, message: expect.any(String) })
  expect(reply.status, seen).toBe(ERRORS[code].status)
  expect(reply.headers.get('content-type'), seen).toMatch(/^application\/json\b/)
  if (field !== undefined) expect(reply.body.details?.field, seen).toBe(field)
  if (reply.status !== 401) return
  expect(reply.body.reason, seen).toEqual(expect.any(String))
  expect(reply.body.details.reason, seen).toBe(reply.body.reason)
  if (expected.reason) expect(reply.body.reason, seen).toBe(expected.reason)
}

/** Whatever an endpoint refuses, it does with a code that it declares. */
export function expectDeclaredRefusal(endpoint: Endpoint, reply: Reply, what: string) {
  const seen = `${what} → ${reply.status} ${toJson(reply.body)}`
  expect(reply.status, seen).toBeGreaterThanOrEqual(400)
  expect(reply.status, seen).toBeLessThan(500)
  expect(errorsOf(endpoint), seen).toContain(reply.body.code)
  expectError(reply, { code: reply.body.code, what })
}

/**
 * What a platform holds, as its lists tell it: to be compared before and after what must not change anything. The clock
 * and the rates go on by themselves, and the feed of events comes a moment later.
 */
export async function stateOf(client: Client): Promise<unknown> {
  const lists = ENDPOINTS.filter(([, { method, params, query, path }]) => {
    const needsMore = (query as JsonSchema | undefined)?.required?.length
    const goesOn = path.startsWith('/sandbox/clock') || path === '/exchange-rates' || path === '/events'
    return method === 'GET' && !params && !needsMore && !goesOn
  })
  return Promise.all(lists.map(async ([name, { path }]) => [name, (await client.get(path)).body]))
}
