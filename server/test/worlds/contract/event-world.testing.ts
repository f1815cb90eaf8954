import { EVENT_TYPES, type EventType } from '@countersign/contract/events/events'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { update } from '../../../src/storage/commit/writes.ts'
import {
  type Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  type Reply,
  sealCode,
  sendSigned,
  signIn,
  until,
} from '../client.testing.ts'
import { dateBefore, ModelBank, openProduction } from '../production/production.testing.ts'
import { newAgent } from '../records/agents.testing.ts'
import { beginNewVerification, decideChange, newPendingChange } from '../records/external-accounts.testing.ts'
import {
  addWalletPasskey,
  newMember,
  newRole,
  passkeyChallenge,
  verifyPasskey,
} from '../records/members.testing.ts'
import { BUSINESS, PERSON, send, upload } from '../records/onboarding.testing.ts'
import { account, payNow, quoted, to } from '../records/payments.testing.ts'
import {
  advanceToNext,
  buildDailySchedule,
  checked,
  execute,
  newHeldPull,
  newWithdrawal,
  type Paying,
  payout,
  preparePayouts,
  registered,
  schedule,
  sendLines,
  usAccount,
  waitForBatch,
  withdrawal,
} from '../records/payouts.testing.ts'
import { listScreenings, payInFromListed } from '../records/screenings.testing.ts'
import { openServer, type TestServer } from '../server.testing.ts'
import { Receiver } from '../simulators/webhook-receiver.testing.ts'

type Event = Reply['body']
type RecordedEvents = Map<EventType, Event>

/**
 * Records the first event of each type, grouped by what causes it: payments, people, wallets, the ledger, and
 * a bank in production.
 */
export async function playEvents(): Promise<RecordedEvents> {
  const recorded: RecordedEvents = new Map()
  const service = await openServer()
  try {
    const plays = [playPayments, playPeople, playWallets, playOthers].map(async (play) => {
      const client = await service.newPlatform()
      await play(client, service)
      return client
    })
    // Records sequentially, so that the first event of each type is the same in every run.
    for (const client of await Promise.all(plays)) await recordEvents(client, recorded)
  } finally {
    await service.close()
  }
  await playReconciliation(recorded)
  return recorded
}

async function recordEvents(client: Client, recorded: RecordedEvents): Promise<void> {
  await client.events()
  for (const type of EVENT_TYPES) {
    const [event] = (await client.get(`/events?type=${type}&limit=1`)).body.data
    if (!event || recorded.has(type)) continue
    const { deliveryStatus: _, ...sent } = event
    recorded.set(type, sent)
  }
}

const DAY_SECONDS = 24 * 3600

/** Makes payments that complete, fail, are returned or expire, and deposits that match nothing. */
async function playPayments(client: Client): Promise<void> {
  const [payer, payee] = [await newCustomer(client), await newCustomer(client)]
  await fund(client, payer.usd, 1_000_000)
  const now = { immediatelyExecute: true }
  for (const suffix of ['789', '002', '004', '007'])
    await quoted(client, account(payer.usd), to(await newBankAccount(client, payer.id, suffix)), now)
  await quoted(client, account(await newBankAccount(client, payer.id, '006')), to(payee.usd), now)
  await quoted(client, account(payer.usd), to(payee.usd))
  await client.advance(DAY_SECONDS)

  await decideChange(client, (await newPendingChange(client)).id, 'apply')
  await beginNewVerification(client)

  const deposit = { amount: 100, currency: 'USD' }
  const unmatched = await send(client, 'POST', '/sandbox/deposits', deposit, 201)
  await send(client, 'POST', `/deposits/${unmatched.id}/return`, {}, 200)
  const small = await send(client, 'POST', '/sandbox/deposits', { ...deposit, amount: 1 }, 201)
  await send(client, 'POST', `/deposits/${small.id}/write-off`, { reason: 'Nobody claims it' }, 200)
  const known = await send(client, 'POST', '/sandbox/deposits', { ...deposit, accountId: payee.usd }, 201)
  await send(client, 'POST', `/sandbox/deposits/${known.id}/reverse`, {}, 200)
  const screened = await payInFromListed(client)
  const { id } = (await listScreenings(client)).find((screening: Event) => screening.depositId === screened)
  await send(client, 'POST', `/screenings/${id}/release`, {}, 200)
  await playIncomingPayments(client, payee.id)
  const paying = await preparePayouts(client)
  await playPayouts(client, paying.payee)
  await playSchedules(client, paying)
  await playOwnMoney(client)
}

/** Holds pulled money and releases it early, on time or after a return, and makes withdrawals with every outcome. */
async function playOwnMoney(client: Client): Promise<void> {
  const [lifted, returned] = [await newHeldPull(client), await newHeldPull(client), await newHeldPull(client)]
  await send(client, 'POST', `/funds-holds/${lifted}/lift`, { reason: 'We know the customer' }, 200)
  const { transactionId: paymentId } = (await client.get(`/funds-holds/${returned}`)).body
  const report = { type: 'pull.returned', paymentId, message: 'R01' }
  await send(client, 'POST', '/sandbox/rail-events', report, 201)
  const { PlatformWithdrawal, OwnAccount } = await newWithdrawal({ client })
  await send(client, 'POST', `/platform/withdrawals/${PlatformWithdrawal}/cancel`, undefined, 200)
  await send(client, 'POST', '/platform/withdrawals', withdrawal(OwnAccount, 100), 201)
  const bank = { currency: 'USD', accountInfo: usAccount('123456004') }
  const refusingBank = await send(client, 'POST', '/platform/external-accounts', bank, 201)
  const refusingAccount = await registered(client, refusingBank.id)
  await send(client, 'POST', '/platform/withdrawals', withdrawal(refusingAccount.id, 100), 201)
  await client.advance(8 * DAY_SECONDS)
}

/** Makes a scheduled payment, and one that the account cannot afford. */
async function playSchedules(client: Client, paying: Paying): Promise<void> {
  const { id } = await schedule(client, buildDailySchedule(paying, { count: 1 }))
  await advanceToNext(client, id)
  const large = await schedule(client, buildDailySchedule(paying, { count: 1, amount: 900_000_000 }))
  await advanceToNext(client, large.id)
}

/** Checks and sends a payout batch. */
async function playPayouts(client: Client, payee: string): Promise<void> {
  const { id } = await sendLines(client, [payout(payee, 100)])
  await execute(client, await checked(client, id))
  await waitForBatch(client, id, 'COMPLETED')
}

/** Lets the platform approve one incoming payment and reject another. */
async function playIncomingPayments(client: Client, customerId: string): Promise<void> {
  const receiver = await Receiver.of(client)
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200)
  const [first, second] = [await payNow(client, customerId), await payNow(client, customerId)]
  await send(client, 'POST', `/transactions/${first.id}/approve`, {}, 200)
  await send(client, 'POST', `/transactions/${second.id}/reject`, {}, 200)
  await send(client, 'POST', '/sandbox/webhooks/test', undefined, 200)
  await client.advance(0)
}

/** Creates customers, and approves, rejects, imports and erases them, and asks for more information. */
async function playPeople(client: Client): Promise<void> {
  const create = (body: object) => send(client, 'POST', '/customers', body, 201)
  const verify = (customerId: string) => send(client, 'POST', '/verifications', { customerId }, 200)
  const { id } = await create(PERSON)
  await verify((await create({ ...PERSON, fullName: 'Ada 001' })).id)
  await create({ ...PERSON, fullName: 'Ada 002' })
  for (const registrationNumber of ['5523910', '001', '002'])
    await create({ ...BUSINESS, businessInfo: { ...BUSINESS.businessInfo, registrationNumber } })
  await importFiles(client)
  await send(client, 'PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } }, 200)
  for (const decision of ['APPROVE', 'REJECT']) {
    const { id: verification } = await verify((await create(PERSON)).id)
    const reason = decision === 'REJECT' ? { reason: 'The documents are not of this person.' } : {}
    await send(client, 'POST', `/verifications/${verification}/decision`, { decision, ...reason }, 200)
  }
  const incomplete = await create(PERSON)
  const { id: verification } = await verify(incomplete.id)
  const field = {
    resourceId: incomplete.id,
    type: 'INVALID_FIELD',
    field: 'fullName',
    reason: 'Write it in full.',
  }
  const request = { decision: 'REQUEST_INFORMATION', errors: [field] }
  await send(client, 'POST', `/verifications/${verification}/decision`, request, 200)
  await send(
    client,
    'PATCH',
    `/customers/${incomplete.id}`,
    { customerType: 'INDIVIDUAL', fullName: 'Ada King' },
    200,
  )
  await send(client, 'DELETE', `/customers/${id}`, undefined, 200)
  await send(client, 'POST', `/customers/${id}/erasure`, undefined, 200)
  await client.advance(1825 * DAY_SECONDS)
}

async function importFiles(client: Client): Promise<void> {
  for (const file of [
    'platformCustomerId,customerType\nfirst,INDIVIDUAL\n',
    'platformCustomerId,customerType,\na,BUSINESS,',
  ]) {
    const { body } = await upload(client, '/customers/bulk/csv', {}, Buffer.from(file), {
      fileName: 'customers.csv',
    })
    await until(
      async () => (await client.get(`/customers/bulk/jobs/${body.jobId}`)).body,
      ({ status }) => status === 'COMPLETED' || status === 'FAILED',
    )
  }
}

/** Notifies a team member by webhook about a waiting deposit. */
async function playDigest(client: Client): Promise<void> {
  const { browser } = await newMember(client, ['VIEW', 'APPROVE'])
  await browser.send('PATCH', '/members/me', { notifications: { channel: 'WEBHOOK', intervalMinutes: 15 } })
  await send(client, 'POST', '/sandbox/deposits', { amount: 100, currency: 'USD' }, 201)
  await client.advance(15 * 60)
}

/** Makes a webhook endpoint respond with 410 until it is disabled. */
async function playGoneEndpoint(client: Client): Promise<void> {
  const receiver = await Receiver.open()
  receiver.answer = () => 410
  const endpoint = await client.call('webhook_endpoint_create', { body: { url: receiver.url } })
  await newCustomer(client)
  const params = { webhookEndpointId: endpoint.id }
  await until(
    () => client.call('webhook_endpoint_get', { params }),
    ({ status }) => status === 'DISABLED',
  )
}

/** Makes a wallet private, uses a passkey that seems copied, and guesses codes. */
async function playWallets(client: Client, { app }: TestServer): Promise<void> {
  const { wallet } = await newCustomer(client)
  const session = await signIn(client, wallet)
  const settings = await sendSigned(client, session, 'PATCH', `/internal-accounts/${wallet}`, {
    privateEnabled: true,
  })
  if (settings.status !== 200) throw new Error(`${settings.status}`)
  const { id, authenticator } = await addWalletPasskey(client, wallet, session)
  const before = authenticator.counter
  for (const counter of [before + 1, before + 1]) {
    const { challenge } = await passkeyChallenge(client, id)
    await verifyPasskey(
      client,
      id,
      challenge.requestId,
      authenticator.assert(challenge.challenge, { counter }),
    )
  }
  const email = await findCredentialId(client, wallet)
  const guessCode = async () => {
    const { otpEncryptionTargetBundle } = (await client.post(`/auth/credentials/${email}/challenge`)).body
    const encryptedOtpBundle = sealCode(otpEncryptionTargetBundle, generateKeyPair(), '111111')
    await client.post(`/auth/credentials/${email}/verify`, { type: 'EMAIL_OTP', encryptedOtpBundle })
  }
  await guessCode()
  // Making another 98 failed attempts would take most of an hour.
  await app.committer.commit([update('code_failures', wallet, {}, { failures: 99, locked_at: null })])
  await guessCode()
}

/** Uses cards, agents and invitations, and creates a ledger checkpoint. */
async function playOthers(client: Client, { app }: TestServer): Promise<void> {
  await playGoneEndpoint(client)
  await newRole(client, 'Night shift', ['VIEW', 'APPROVE'])
  await playDigest(client)
  const [holder, friend] = [await newCustomer(client), await newCustomer(client)]
  await fund(client, holder.usd, 10_000)
  const body = { cardholderId: holder.id, form: 'VIRTUAL', fundingSources: [holder.usd] }
  const { id } = await send(client, 'POST', '/cards', body, 201)
  await client.advance(DAY_SECONDS)
  const session = await signIn(client, holder.wallet)
  await sendSigned(client, session, 'PATCH', `/cards/${id}`, { fundingSources: [holder.usd, holder.wallet] })
  const agent = await newAgent(client, holder.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const bank = await newBankAccount(client, holder.id)
  const transfer = { source: { accountId: holder.usd }, destination: { accountId: bank }, amount: 100 }
  await agent.post('/agents/me/transfer-out', transfer)
  const readUmaAddress = async (customer: string): Promise<string> =>
    (await client.get(`/customers/${customer}`)).body.umaAddress
  await send(
    client,
    'PATCH',
    '/config',
    { invitationConfig: { url: 'https://invitations.example/{code}' } },
    200,
  )
  const { code } = await send(
    client,
    'POST',
    '/invitations',
    { inviterUma: await readUmaAddress(holder.id) },
    201,
  )
  await send(
    client,
    'POST',
    `/invitations/${code}/claim`,
    { inviteeUma: await readUmaAddress(friend.id) },
    200,
  )
  await client.advance(0)
  await runCommand(app, ['books', 'checkpoint'], '')
}

/** Reconciles a day whose statement differs from the ledger. */
async function playReconciliation(recorded: RecordedEvents): Promise<void> {
  const world = await openProduction()
  try {
    const bank = new ModelBank(world)
    const day = dateBefore(1)
    bank.book(day, { kind: 'OTHER', amount: '250', text: 'Correction 17' })
    await bank.tell(bank.event('statement', bank.close(day)))
    await runCommand(world.service.app, ['reconciliation', 'run', '--rail', bank.name, '--date', day], '')
    const { data } = await until(
      async () => (await world.client.get('/events?type=RECONCILIATION.DIFFERENT')).body,
      (page) => page.data.length > 0,
    )
    const { deliveryStatus: _, ...sent } = data[0]
    recorded.set('RECONCILIATION.DIFFERENT', sent)
  } finally {
    await world.close()
  }
}
