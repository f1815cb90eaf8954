import type { EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { Client, newCustomer, type Reply, sendSigned, signIn } from '../client.testing.ts'
import { newAgent } from '../records/agents.testing.ts'
import { clear, used } from '../records/cards.testing.ts'
import { PERSON } from '../records/onboarding.testing.ts'
import { decided, decision, waitingPayment } from '../records/payments.testing.ts'
import { newHeldPull } from '../records/payouts.testing.ts'
import { newScreening, newWallet, sendPayment } from '../records/screenings.testing.ts'
import { Receiver } from '../simulators/webhook-receiver.testing.ts'
import type { Ids } from './bodies.testing.ts'
import { buildValidBody, idsFor, newWorld, pathWith, selectCaller } from './calls.testing.ts'
import {
  type Call,
  ERASURE_CALLS,
  IMPORT_CALLS,
  MEMBER_CALLS,
  OWN_MONEY_CALLS,
  PAYOUT_CALLS,
  SCHEDULE_CALLS,
  type Scene,
  WEBHOOK_CALLS,
} from './examples.testing.ts'
import { OF_PRODUCTION, type RecordingClient } from './recording-client.testing.ts'
import { ENDPOINTS } from './schemas.testing.ts'

const newKeyBody = () => ({ clientPublicKey: generateKeyPair().publicKey.uncompressedHex })

/** Prepares each call and returns it. Calls without an entry use a valid body. */
const CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  config_update: () => ({ body: { embeddedWalletConfig: { otpLength: 6, expirationSeconds: 300 } } }),
  token_create: () => ({ body: { name: 'Payroll', permissions: ['VIEW', 'TRANSACT'] } }),
  token_delete: async ({ client }) => ({
    ids: { Token: (await post(client, '/tokens', { name: 'Old backend', permissions: ['VIEW'] })).id },
  }),
  ...MEMBER_CALLS,
  customer_token_create: ({ customer }) => ({
    body: { customerId: customer.id, permissions: ['VIEW', 'TRANSACT'] },
  }),
  customer_token_delete: async ({ client, customer }) => ({
    ids: {
      CustomerToken: (
        await post(client, '/customer-tokens', { customerId: customer.id, permissions: ['VIEW'] })
      ).id,
    },
  }),
  customer_create: () => ({ body: { ...PERSON, email: 'ada@example.com' } }),
  customer_delete: async ({ client }) => ({
    ids: { Customer: (await post(client, '/customers', PERSON)).id },
  }),
  ...ERASURE_CALLS,
  ...IMPORT_CALLS,
  ...PAYOUT_CALLS,
  ...SCHEDULE_CALLS,
  ...OWN_MONEY_CALLS,
  customer_verify_email: withContacts,
  customer_confirm_email: async (scene) => withRequestedCode(scene, 'email'),
  customer_verify_phone: withContacts,
  customer_confirm_phone: async (scene) => withRequestedCode(scene, 'phone'),
  kyc_link_create: async ({ client }) => ({
    ids: { Customer: (await post(client, '/customers', { ...PERSON, fullName: 'Ada 001' })).id },
  }),
  document_delete: async ({ client, ids }) => ({
    ids: { Document: (await post(client, '/documents', buildValidBody('document_create', ids))).id },
  }),
  customer_internal_account_list: () => ({ query: { currency: 'USD' } }),
  internal_account_update: ({ customer }) => ({
    ids: { InternalAccount: customer.wallet },
    body: { privateEnabled: true },
    sign: true,
  }),
  internal_account_export: ({ customer }) => ({
    ids: { InternalAccount: customer.wallet },
    body: newKeyBody(),
    sign: true,
  }),
  customer_external_account_delete: addPayee(
    'customer_external_account_create',
    '/customers/external-accounts',
  ),
  platform_external_account_get: addPayee('platform_external_account_create', '/platform/external-accounts'),
  platform_external_account_delete: addPayee(
    'platform_external_account_create',
    '/platform/external-accounts',
  ),
  agent_me_external_account_delete: addPayee(
    'customer_external_account_create',
    '/customers/external-accounts',
  ),
  stablecoin_account_link: () => ({
    body: { provider: 'BRALE', apiClientId: 'client-1', apiClientSecret: 'secret-of-the-provider' },
    headers: { 'Idempotency-Key': 'link-brale' },
  }),
  search: () => ({ query: { query: 'Ada' } }),
  transaction_statistics: () => ({
    query: { interval: 'DAY', startDate: new Date(Date.now() - 3_600_000).toISOString() },
  }),
  credential_list: ({ customer }) => ({ query: { accountId: customer.wallet } }),
  session_list: ({ customer }) => ({ query: { accountId: customer.wallet } }),
  credential_create: ({ customer }) => ({
    body: { type: 'SMS_OTP', accountId: customer.wallet, phoneNumber: '+14155552671' },
    sign: true,
  }),
  credential_delete: async ({ client, customer }) => {
    const { data } = (await client.get(`/auth/credentials?accountId=${customer.wallet}`)).body
    return { ids: { AuthMethod: data.at(-1).id }, sign: true }
  },
  // Signing in makes this call in all its variants.
  credential_verify: () => ({ isMade: true }),
  session_refresh: ({ session }) => ({ ids: { Session: session.sessionId }, body: newKeyBody(), sign: true }),
  session_delete: async ({ client, customer }) => {
    const { data } = (await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body
    return { ids: { Session: data.at(-1).id }, sign: true }
  },
  exchange_rate_list: () => ({ query: { sourceCurrency: 'USD', destinationCurrency: 'EUR' } }),
  agent_me_exchange_rate_list: () => ({ query: { sourceCurrency: 'USD', destinationCurrency: 'EUR' } }),
  receiver_uma_lookup: ({ ids }) => ({ query: { customerId: ids.Customer! } }),
  discovery_list: () => ({ query: { country: 'NG', currency: 'NGN' } }),
  beneficial_owner_list: ({ ids }) => ({ query: { customerId: ids.Business! } }),
  statement_get: ({ ids }) => ({ query: { accountId: ids.InternalAccount! } }),
  journal_get: () => ({ query: { from: formatDaysAgo(31), to: formatDaysAgo(0) } }),
  ledger_transfer_list: ({ ids }) => ({ query: { accountId: ids.InternalAccount! } }),
  ledger_transfer_csv: ({ ids }) => ({ query: { accountId: ids.InternalAccount! } }),
  crypto_withdrawal_fee_estimate: async ({ client, ids }) => ({
    body: {
      internalAccountId: await findAccount(client, ids.Customer!, 'USDC'),
      currency: 'USDC',
      cryptoNetwork: 'BASE',
      amount: 10_000_000,
      destinationAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    },
  }),
  quote_execute: async ({ client, ids }) => ({
    ids: { Quote: (await post(client, '/quotes', buildValidBody('quote_create', ids))).id },
  }),
  agent_me_quote_execute: async ({ agent, ids }) => ({
    ids: { Quote: (await post(agent, '/agents/me/quotes', buildValidBody('agent_me_quote_create', ids))).id },
  }),
  transaction_confirm: async (scene) => ({ ids: { Transaction: await createPayment(scene) } }),
  transaction_approve: async (scene) => ({ ids: { Transaction: await createPendingPayment(scene) } }),
  transaction_reject: async (scene) => ({
    ids: { Transaction: await createPendingPayment(scene) },
    body: { reason: 'Not known to the customer' },
  }),
  transaction_cancel: async (scene) => withCancellablePayment(scene),
  transaction_decide: async ({ client }) => ({
    ids: { Transaction: (await waitingPayment(client)).id },
    body: {
      outcome: 'RETURNED',
      reason: 'The bank has sent it back',
      evidence: { note: 'Call with the payments desk of the bank, ticket 4711' },
      charge: { amount: 300, currency: 'USD' },
    },
  }),
  transaction_decision_list: async ({ client }) => {
    const { id } = await waitingPayment(client)
    await decided(client, id, decision('DELIVERED'))
    return { ids: { Transaction: id } }
  },
  deposit_assign: withSuspense,
  deposit_return: withSuspense,
  deposit_split: withSuspense,
  deposit_write_off: withSuspense,
  screening_release: withScreening,
  screening_reject: withScreening,
  screening_get: withScreening,
  funds_hold_get: withFundsHold,
  funds_hold_lift: withFundsHold,
  rail_event_resolve: async ({ client, ids }) => ({
    ids: {
      RailEvent: (await post(client, '/sandbox/rail-events', buildValidBody('sandbox_rail_event', ids))).id,
    },
    body: { note: 'A payment of the parent company' },
  }),
  invitation_get: withInvitation,
  invitation_claim: withInvitation,
  invitation_cancel: withInvitation,
  agent_update: () => ({ body: { name: 'Travel agent' } }),
  agent_policy_update: ({ ids }) => ({ body: buildValidBody('agent_policy_update', ids) }),
  agent_device_code_get: withDeviceCode,
  agent_device_code_redeem: withDeviceCode,
  agent_delete: async ({ client, ids }) => ({ ids: { Agent: (await newAgent(client, ids.Customer!)).id } }),
  agent_action_approve: withAgentAction,
  agent_action_reject: withAgentAction,
  card_update: () => ({ body: { state: 'FROZEN' }, sign: true }),
  delegated_key_create: async ({ client, ids, customer }) => ({
    body: {
      cardId: (await post(client, '/cards', { ...toCard(ids), fundingSources: [customer.wallet] })).id,
      internalAccountId: customer.wallet,
      nickname: 'Spending',
    },
    sign: true,
  }),
  sandbox_account_fund: () => ({ body: { amount: 100_000 } }),
  sandbox_clock_advance: () => ({ body: { seconds: 60 } }),
  sandbox_card_clearing: withPurchase,
  sandbox_card_return: async (scene) => {
    const call = await withPurchase(scene)
    await clear(scene.client, { id: call.ids.CardTransaction, cardId: scene.ids.Card! }, 500)
    await scene.client.advance(0)
    return { ids: call.ids }
  },
  sandbox_send: async ({ client, ids }) => ({
    ids: {
      Quote: (
        await post(client, '/quotes', {
          ...(buildValidBody('quote_create', ids) as object),
          source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
        })
      ).id,
    },
  }),
  sandbox_deposit_reverse: async ({ client, ids }) => ({
    ids: {
      Deposit: (
        await post(client, '/sandbox/deposits', {
          amount: 100,
          currency: 'USD',
          accountId: ids.InternalAccount,
        })
      ).id,
    },
  }),
  ...WEBHOOK_CALLS,
}

const toCard = (ids: Ids) => ({ cardholderId: ids.Customer!, form: 'VIRTUAL' })

/** Returns the body of a response that must be successful. */
async function post(
  caller: { post(path: string, body?: unknown): Promise<Reply> },
  path: string,
  body?: unknown,
) {
  const reply = await caller.post(path, body)
  if (reply.status >= 300) throw new Error(`${path}: ${toJson(reply.body)}`)
  return reply.body
}

async function findAccount({ get }: RecordingClient, customerId: string, currency: string): Promise<string> {
  return (await get(`/customers/internal-accounts?customerId=${customerId}&currency=${currency}`)).body
    .data[0].id
}

function addPayee(create: EndpointName, path: string) {
  return async ({ client, ids }: Scene): Promise<Call> => ({
    ids: { ExternalAccount: (await post(client, path, buildValidBody(create, ids))).id },
  })
}

/** Creates a customer whose contacts have to be verified. */
async function withContacts({ client }: Scene) {
  const contacts = { email: 'grace@example.com', phoneNumber: '+4930123456', region: 'DE' }
  const { id } = await post(client, '/customers', { ...PERSON, ...contacts })
  return { ids: { Customer: id as string } }
}

async function withRequestedCode(scene: Scene, what: 'email' | 'phone') {
  const { ids } = await withContacts(scene)
  await post(scene.client, `/customers/${ids.Customer}/verify-${what}`)
  return { ids, body: { code: '123456' } }
}

const receivePayment = ({ client, ids }: Scene) =>
  post(client, '/sandbox/uma/receive', buildValidBody('sandbox_uma_receive', ids))

async function createPayment(scene: Scene): Promise<string> {
  const { id } = await receivePayment(scene)
  await scene.client.advance(0)
  return id
}

/** Creates a payment to a customer that the platform has to approve, because its webhook does not decide. */
async function createPendingPayment(scene: Scene): Promise<string> {
  return (await receivePayment(scene)).id
}

/** Creates a payment that waits for its rail. */
async function withCancellablePayment({ client, ids }: Scene) {
  const usdc = await findAccount(client, ids.Customer!, 'USDC')
  await post(client, `/sandbox/internal-accounts/${usdc}/fund`, { amount: 5_000_000 })
  return { ids: { Transaction: await sendPayment(client, usdc, await newWallet(client, ids.Customer!)) } }
}

async function withSuspense({ client, ids }: Scene) {
  return {
    ids: {
      Deposit: (await post(client, '/sandbox/deposits', buildValidBody('sandbox_deposit', ids))).id as string,
    },
  }
}

async function withScreening({ client }: Scene) {
  return { ids: await newScreening({ client }) }
}

/** Uses a client that records nothing, because it changes the settings. */
async function withFundsHold({ client: { credentials, baseUrl } }: Scene) {
  return { ids: { FundsHold: await newHeldPull(new Client(credentials, baseUrl)) } }
}

/** Creates an invitation by a customer other than the one who claims it. */
async function withInvitation({ client }: Scene) {
  const { id } = await newCustomer(client)
  const { umaAddress } = (await client.get(`/customers/${id}`)).body
  return {
    ids: {
      InvitationCode: (await post(client, '/invitations', { inviterUma: umaAddress })).code as string,
    },
  }
}

async function withDeviceCode({ client, ids }: Scene) {
  const { id } = await newAgent(client, ids.Customer!)
  return { ids: { DeviceCode: (await post(client, `/agents/${id}/device-codes`)).code as string } }
}

/** Creates an agent's action that waits for approval. */
async function withAgentAction({ client, customer, ids }: Scene) {
  const agent = await newAgent(client, customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const action = await post(agent, '/agents/me/transfer-out', buildValidBody('agent_me_transfer_out', ids))
  return { ids: { Agent: agent.id, AgentAction: action.id as string } }
}

async function withPurchase({ client, ids }: Scene) {
  return { ids: { CardTransaction: (await used(client, ids.Card!, 1000)).id as string } }
}

/** Calls that change records that other calls need. They are made last, in this order. */
const LAST_CALLS: readonly EndpointName[] = [
  'agent_policy_update',
  'card_update',
  'transaction_approve',
  'transaction_reject',
  'event_redeliver',
  'event_replay',
  'sandbox_webhook_test',
  'credential_delete',
  'session_delete',
  'delegated_key_delete',
  'sandbox_reset',
]

/** Calls every endpoint of the sandbox successfully, and returns the failures. */
export async function playSandbox(
  client: RecordingClient,
): Promise<{ records: Ids & { Wallet: string }; failed: string[] }> {
  const scene = await newScene(client)
  const failed: string[] = []
  const rank = (name: EndpointName) => LAST_CALLS.indexOf(name)
  for (const [name, endpoint] of [...ENDPOINTS].sort(([first], [second]) => rank(first) - rank(second))) {
    if (OF_PRODUCTION.includes(name)) continue
    if (name === 'transaction_approve') await deferIncomingPayments(client)
    const failure = await makeCall(scene, name, endpoint).catch(String)
    if (failure !== undefined) failed.push(`${name}: ${failure}`)
  }
  return { records: { ...scene.ids, Wallet: scene.customer.wallet }, failed }
}

async function newScene(client: RecordingClient): Promise<Scene> {
  const world = await newWorld(client)
  return { ...world, client, session: await signIn(client, world.customer.wallet) }
}

/** Makes the platform leave incoming payments to be approved. */
async function deferIncomingPayments(client: RecordingClient): Promise<void> {
  const receiver = await Receiver.of(client)
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200)
}

/** Makes an endpoint's call. Returns the refusal, if any. */
async function makeCall(scene: Scene, name: EndpointName, endpoint: Endpoint): Promise<string | undefined> {
  const call = (await CALLS[name]?.(scene)) ?? {}
  if (call.isMade) return undefined
  const ids = { ...idsFor(endpoint, scene), ...call.ids }
  const query = call.query ? `?${new URLSearchParams(call.query)}` : ''
  const path = pathWith(endpoint, (kind) => ids[kind]!) + query
  const body = 'body' in call ? call.body : buildValidBody(name, ids)
  const { client, session, browser } = scene
  const { authorization } = selectCaller(endpoint, scene)
  const cookie = endpoint.auth === 'member' ? (call.browser ?? browser).headersOf(endpoint.method) : {}
  const headers = { Authorization: authorization, ...cookie, ...call.headers }
  // Passkeys need a host name, not an IP address.
  const hostClient = client.with(new Client(client.credentials, browser.baseUrl))
  const usesHostName = endpoint.auth === 'member' || endpoint.auth === 'public'
  const { status, body: replyBody } = call.sign
    ? await sendSigned(client, session, endpoint.method, path, body)
    : await (usesHostName ? hostClient : client).send(endpoint.method, path, body, headers)
  scene.client.choose(name)
  const isExpected = status in endpoint.responses && !(status === 202 && call.sign)
  return isExpected ? undefined : `${status} ${toJson(replyBody)}`
}

function formatDaysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString()
}
