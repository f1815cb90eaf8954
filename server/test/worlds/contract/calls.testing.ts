import { API, type EndpointName } from '@countersign/contract/api'
import { type Endpoint, PERMISSIONS } from '@countersign/contract/core/endpoint'
import { listErrorCodes } from '@countersign/contract/core/endpoint-errors'
import { ERRORS, type ErrorCode } from '@countersign/contract/core/errors'
import { ID_KINDS, type IdKind } from '@countersign/contract/core/ids'
import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  type Reply,
  sendSigned,
  signIn,
} from '../client.testing.ts'
import { type AgentClient, newAgent } from '../records/agents.testing.ts'
import { clear, newCard, used } from '../records/cards.testing.ts'
import {
  beginNewVerification,
  newMandateWithAccount,
  newPendingChange,
} from '../records/external-accounts.testing.ts'
import { addPasskey, type Browser, newMember } from '../records/members.testing.ts'
import { newBusinessCase } from '../records/onboarding.testing.ts'
import { buildUnknownId } from '../records/payments.testing.ts'
import { newHeldPull, newWithdrawal } from '../records/payouts.testing.ts'
import { newKey, newMovement } from '../records/treasury.testing.ts'
import { BODIES, type Ids, type ParamKind } from './bodies.testing.ts'
import { ENDPOINTS, type Json, type JsonSchema, samples } from './schemas.testing.ts'

/** Runs an action for every item with limited concurrency, so that thousands of requests do not overload the server. */
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

/** Returns a well-formed id that no record has. */
export function buildMissingId(kind: string): string {
  if (kind === 'UmaAddress') return '$nobody@uma.example'
  if (kind === 'DeviceCode') return '000-000-000'
  if (kind === 'InvitationCode') return '00000000'
  return buildUnknownId(kind === 'Business' ? 'Customer' : (kind as IdKind))
}

/** Finds the kind of record that a path parameter identifies, by its name or its position. */
export function findParamKind({ path }: Endpoint, name: string): ParamKind {
  const byName = (Object.keys(ID_KINDS) as IdKind[]).find(
    (kind) => name === `${kind[0]!.toLowerCase()}${kind.slice(1)}Id`,
  )
  const kind = byName ?? KIND_BY_PATH[path.slice(0, path.indexOf(`/{${name}}`))]
  if (!kind) throw new Error(`${path}: add the kind of {${name}} to KIND_BY_PATH`)
  return kind
}

const KIND_BY_PATH: Readonly<Record<string, ParamKind>> = {
  '/agents/device-codes': 'DeviceCode',
  '/agents/me/actions': 'AgentAction',
  '/agents/{agentId}/actions': 'AgentAction',
  '/auth/credentials': 'AuthMethod',
  '/auth/delegated-keys': 'DelegatedKey',
  '/auth/sessions': 'Session',
  '/cards': 'Card',
  '/invitations': 'InvitationCode',
  '/reconciliations': 'RailStatement',
  '/sandbox/cards': 'Card',
  '/sandbox/internal-accounts': 'InternalAccount',
  '/customers/bulk/jobs': 'CustomerImport',
  '/internal-accounts': 'InternalAccount',
  '/receiver/uma': 'UmaAddress',
  '/requests': 'Request',
  '/receiver/external-account': 'ExternalAccount',
}

/** Fills the parameters of an endpoint's path with ids by kind. */
export function pathWith(endpoint: Endpoint, selectId: (kind: ParamKind) => string): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(selectId(findParamKind(endpoint, name))).replaceAll('%3A', ':'),
  )
}

/** Fills an endpoint's path with ids that no record has. */
export function buildMissingPath(endpoint: Endpoint): string {
  return pathWith(endpoint, buildMissingId)
}

/** A platform with a record of every kind. */
export interface World {
  readonly client: Client
  readonly customer: Awaited<ReturnType<typeof newCustomer>>
  readonly agent: AgentClient
  /** The browser of a team member who has every permission. */
  readonly browser: Browser
  readonly ids: Ids
  /** The agent's records, which override the platform's in `ids`. */
  readonly ofAgent: Ids
}

/**
 * Returns the caller of an endpoint: the platform, its agent, a team member, or an anonymous caller if the path or body
 * contains the credential.
 */
export function selectCaller(
  { auth }: Endpoint,
  { client, agent, browser }: Pick<World, 'client' | 'agent' | 'browser'>,
) {
  if (auth === 'deviceCode' || auth === 'public') return new AnonymousCaller(client)
  if (auth === 'member') return browser
  return auth === 'agent' ? agent : client
}

class AnonymousCaller {
  readonly authorization = ''
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#client.send(method, path, body, { Authorization: this.authorization, ...headers })
  }
}

/** Returns the ids of records that belong to the caller of an endpoint. */
export function idsFor({ auth }: Endpoint, { ids, ofAgent }: World): Ids {
  return auth === 'agent' ? { ...ids, ...ofAgent } : ids
}

/** The amount above which the world's agent needs approval. */
export const APPROVAL_ABOVE = 5_000

/**
 * Gives a platform a record of every kind, including a customer with money, and an agent with its own quote and an
 * action that waits for approval.
 */
export async function newWorld(client: Client): Promise<World> {
  await avoidMidnight(client)
  const customer = await newCustomer(client)
  const [external] = await Promise.all([
    newBankAccount(client, customer.id),
    fund(client, customer.usd, 1_000_000),
  ])
  const baseIds: Ids = {
    Token: client.credentials.tokenId,
    Customer: customer.id,
    InternalAccount: customer.usd,
    ExternalAccount: external,
    AuthMethod: await findCredentialId(client, customer.wallet),
    UmaAddress: (await client.get(`/customers/${customer.id}`)).body.umaAddress,
  }
  const member = await newMember(client, PERMISSIONS)
  const [quote, document, agent] = await Promise.all([
    createRecord(client, '/quotes', buildValidBody('quote_create', baseIds)),
    createRecord(client, '/documents', buildValidBody('document_create', baseIds)),
    newAgent(client, customer.id, { approvalThresholds: { amount: APPROVAL_ABOVE } }),
  ])
  const large = {
    ...(buildValidBody('agent_me_transfer_out', baseIds) as object),
    amount: APPROVAL_ABOVE + 1,
  }
  const [agentQuote, waitingAction, { code }] = await Promise.all([
    createRecord(agent, '/agents/me/quotes', buildValidBody('agent_me_quote_create', baseIds)),
    createRecord(agent, '/agents/me/transfer-out', large),
    createRecord(client, `/agents/${agent.id}/device-codes`),
  ])
  const ids: Ids = {
    ...baseIds,
    ...(await createCards(client, customer)),
    ...(await newBusinessCase(client)),
    Quote: quote.id,
    Document: document.id,
    Transaction: quote.transactionId,
    Member: member.id,
    MemberRole: (await createRecord(client, '/member-roles', buildValidBody('member_role_create', baseIds)))
      .id,
    MemberSession: member.session,
    MemberPasskey: await addPasskey(member.browser),
    Agent: agent.id,
    AgentAction: waitingAction.id,
    DeviceCode: code,
    StablecoinProviderAccount: await linkStablecoinAccount(client),
    Event: await waitForFirstEvent(client),
    WebhookEndpoint: await createPausedEndpoint(client),
    // A sandbox has no statements. Tests in production cover them.
    RailStatement: buildUnknownId('RailStatement'),
    ...(await newMovement({ client })),
    ...(await newKey({ client })),
    ...(await newWithdrawal({ client })),
    PaymentSchedule: await createSkippedSchedule(client, baseIds),
    ClientMoneyReport: (
      await createRecord(
        client,
        '/client-money-reports',
        buildValidBody('client_money_report_create', baseIds),
      )
    ).id,
    StatementEntry: buildUnknownId('StatementEntry'),
    ReconciliationMatch: buildUnknownId('ReconciliationMatch'),
    FundsHold: await newHeldPull(client),
    AccountVerification: (await beginNewVerification(client, customer.id)).id,
    AccountChange: (await newPendingChange(client)).id,
    Mandate: (await newMandateWithAccount(client, baseIds)).id,
    PayoutBatch: (
      await createRecord(client, '/payouts/batches', buildValidBody('payout_batch_create', baseIds))
    ).id,
    Deposit: (await createRecord(client, '/sandbox/deposits', buildValidBody('sandbox_deposit', baseIds))).id,
    RailEvent: (
      await createRecord(client, '/sandbox/rail-events', buildValidBody('sandbox_rail_event', baseIds))
    ).id,
    LedgerAccount: await readFirstId(client, '/ledger/accounts?name=rail'),
    LedgerTransfer: await readFirstId(client, `/ledger/transfers?accountId=${customer.usd}`),
  }
  return {
    client,
    customer,
    agent,
    browser: member.browser,
    ids,
    ofAgent: { Quote: agentQuote.id, Transaction: agentQuote.transactionId },
  }
}

/** Creates a schedule with one payment, which has been skipped. */
async function createSkippedSchedule(client: Client, ids: Ids): Promise<string> {
  const { id } = await createRecord(
    client,
    '/payment-schedules',
    buildValidBody('payment_schedule_create', ids),
  )
  const skipped = await client.post(`/payment-schedules/${id}/skip`, {})
  if (skipped.status !== 200) throw new Error(toJson(skipped.body))
  return id
}

/** Creates a paused webhook endpoint, so that deliveries do not change its record. */
async function createPausedEndpoint(client: Client): Promise<string> {
  const { id } = await client.call('webhook_endpoint_create', { body: { url: 'https://example.com/hook' } })
  await client.call('webhook_endpoint_update', {
    params: { webhookEndpointId: id },
    body: { status: 'PAUSED' },
  })
  return id
}

/**
 * Creates a card with a partially settled purchase, and another card with a key for the wallet that pays it.
 */
async function createCards(client: Client, { id, usd, wallet }: World['customer']): Promise<Ids> {
  const [card, walletCard, session] = await Promise.all([
    newCard(client, id, [usd]),
    newCard(client, id, [wallet]),
    signIn(client, wallet),
    // Funds the amount of the purchase, so that the balance stays the same.
    fund(client, usd, 1000),
  ])
  const purchase = await used(client, card.id, 1000)
  await clear(client, purchase, 500)
  const linkRequest = { cardId: walletCard.id, internalAccountId: wallet, nickname: 'Spending' }
  const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', linkRequest)
  return { Card: card.id, CardTransaction: purchase.id, DelegatedKey: key.body.id }
}

async function linkStablecoinAccount(client: Client): Promise<string> {
  const body = buildValidBody('stablecoin_account_link', {})
  const key = { 'Idempotency-Key': `linked ${toJson(body)}` }
  const reply = await client.post('/stablecoin-provider-accounts', body, key)
  if (reply.status !== 201) throw new Error(toJson(reply.body))
  return reply.body.id
}

/** Makes a call and returns the record that it creates. */
async function createRecord(
  caller: Pick<Client, 'post'>,
  path: string,
  body?: unknown,
): Promise<Reply['body']> {
  const reply = await caller.post(path, body)
  // A platform's second world gets 200, because the day's report already exists.
  if (reply.status !== 201 && reply.status !== 200) throw new Error(toJson(reply.body))
  return reply.body
}

/** Moves the clock past midnight in the last hour, because daily counts that tests compare reset at midnight. */
async function avoidMidnight(client: Client): Promise<void> {
  const now = new Date()
  if (now.getUTCHours() === 23) await client.advance(3600)
}

async function readFirstId(client: Client, path: string): Promise<string> {
  return (await client.get(path)).body.data[0].id
}

/** Waits for the first event of a platform. The feed shows it once no earlier transaction is open. */
async function waitForFirstEvent(client: Client): Promise<string> {
  for (;;) {
    const [event] = (await client.get('/events?limit=1')).body.data
    if (event) return event.id
  }
}

let bodies = 0

/** Returns a body that the endpoint accepts: the one in `BODIES`, or else one generated from the schema. */
export function buildValidBody(name: EndpointName, ids: Ids): Json | undefined {
  const { body, upload } = API[name] as Endpoint
  if (!body) return upload ? {} : undefined
  const listedBody = BODIES[name]?.(ids, ++bodies)
  return listedBody ?? samples(body as JsonSchema)[0]!
}

/** Asserts the format of an error (specification 7) and its expected fields. */
export function expectError(
  reply: Reply,
  expected: { code: ErrorCode; field?: string; what?: string; reason?: string },
) {
  const { code, field, what = '' } = expected
  const context = `${what} → ${reply.status} ${toJson(reply.body)}`
  expect(reply.body, context).toMatchObject({ status: reply.status, code, message: expect.any(String) })
  expect(reply.status, context).toBe(ERRORS[code].status)
  const entry = reply.body.details?.code ?? code
  expect(reply.body.docUrl, context).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/docs/errors#${entry}$`))
  expect(reply.headers.get('content-type'), context).toMatch(/^application\/json\b/)
  if (field !== undefined) expect(reply.body.details?.field, context).toBe(field)
  if (reply.status !== 401) return
  expect(reply.body.reason, context).toEqual(expect.any(String))
  expect(reply.body.details.reason, context).toBe(reply.body.reason)
  if (expected.reason) expect(reply.body.reason, context).toBe(expected.reason)
}

/** Asserts that an endpoint refuses only with error codes that it declares. */
export function expectDeclaredRefusal(endpoint: Endpoint, reply: Reply, what: string) {
  const context = `${what} → ${reply.status} ${toJson(reply.body)}`
  expect(reply.status, context).toBeGreaterThanOrEqual(400)
  expect(reply.status, context).toBeLessThan(500)
  expect(listErrorCodes(endpoint), context).toContain(reply.body.code)
  expectError(reply, { code: reply.body.code, what })
}

/**
 * Reads all lists of a platform, to check that a call changes nothing. Leaves out the clock and exchange rates, which
 * always change, and the event feed and the overview, which lag. With `agent`, also reads the agent's lists.
 */
export async function stateOf(
  client: Client,
  agent?: AgentClient,
): Promise<readonly (readonly [name: EndpointName, body: unknown])[]> {
  const lists = ENDPOINTS.filter(([, { auth, method, params, query, path }]) => {
    const needsParameters =
      (query as JsonSchema | undefined)?.required?.length || path === '/ledger/transfers'
    const isChanging =
      path.startsWith('/sandbox/clock') ||
      path.endsWith('/exchange-rates') ||
      path.startsWith('/events') ||
      path.startsWith('/requests') ||
      path === '/overview' ||
      path === '/webhook-endpoints' ||
      path === '/member-sessions'
    // Its content never changes.
    const isFixed = path === '/discoveries'
    // A CSV file has the same content as its list.
    const isFile = path.endsWith('.csv')
    if (auth === 'agent' && !agent) return false
    // These endpoints are about one team member, and `/members` contains all of them.
    if (auth === 'member') return false
    return method === 'GET' && !params && !needsParameters && !isChanging && !isFixed && !isFile
  })
  const read = async ([name, { auth, path }]: (typeof lists)[number]) => {
    const reply = await (auth === 'agent' ? agent! : client).get(path)
    if (reply.status !== 200) throw new Error(`${name}: ${toJson(reply.body)}`)
    return [name, reply.body] as const
  }
  return Promise.all(lists.map(read))
}
