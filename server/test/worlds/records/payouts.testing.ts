import { expect } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform, type Reply } from '../client.testing.ts'
import { upload } from './onboarding.testing.ts'

/** Builds a payee at a US bank, with these digits in the account number. */
export function usAccount(digits: string) {
  return {
    accountType: 'USD_ACCOUNT',
    accountNumber: digits,
    routingNumber: '021000021',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  }
}

/** Creates a platform with this amount in its dollar account, and a payee. */
export async function newPayingPlatform(amount: bigint | number = 1_000_000) {
  const client = await newPlatform()
  const { payee, own } = await preparePayouts(client, amount)
  return { client, payee, own }
}

export async function preparePayouts(client: Client, amount: bigint | number = 1_000_000) {
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, amount)
  const account = { currency: 'USD', accountInfo: usAccount('777000789') }
  const added = await client.post('/platform/external-accounts', account)
  expect(added.status).toBe(201)
  return { payee: String(added.body.id), own: String(own.id) }
}

export const payout = (accountId: string, amount: number, more: object = {}) => ({
  accountId,
  currency: 'USD',
  amount,
  ...more,
})

export async function sendFile(client: Client, csv: string | Uint8Array): Promise<Reply['body']> {
  const file = Buffer.from(csv)
  const reply = await upload(client, '/payouts/batches/csv', { name: 'Payroll' }, file, {
    fileName: 'payouts.csv',
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

export async function sendLines(client: Client, lines: readonly object[]): Promise<Reply['body']> {
  const reply = await client.post('/payouts/batches', { name: 'Payroll', lines })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** Runs due jobs until the batch has one of these states. */
export async function waitForBatch(
  client: Client,
  id: string,
  ...states: readonly string[]
): Promise<Reply['body']> {
  for (;;) {
    await client.advance(0)
    const { body } = await client.get(`/payouts/batches/${id}`)
    if (states.includes(body.status)) return body
  }
}

export const checked = (client: Client, id: string) => waitForBatch(client, id, 'READY', 'FAILED')

/** Returns the totals in the form of a request. */
export function listRequestTotals(batch: Reply['body']): { currency: string; amount: number }[] {
  const sums: Record<string, number> = {}
  for (const { total } of batch.totals)
    sums[total.currency.code] = (sums[total.currency.code] ?? 0) + total.amount
  return Object.entries(sums).map(([currency, amount]) => ({ currency, amount }))
}

export function execute(
  client: Pick<Client, 'post'>,
  batch: Reply['body'],
  more: object = {},
): Promise<Reply> {
  return client.post(`/payouts/batches/${batch.id}/execute`, { totals: listRequestTotals(batch), ...more })
}

/** Reads all lines of a batch, in order. */
export async function linesOf(client: Client, id: string, query = ''): Promise<Reply['body'][]> {
  const lines: Reply['body'][] = []
  let cursor = ''
  for (;;) {
    const { body } = await client.get(`/payouts/batches/${id}/lines?limit=100${query}${cursor}`)
    lines.push(...body.data)
    if (!body.hasMore) return lines
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
}

export async function balanceOf(client: Client): Promise<number> {
  return (await client.get('/platform/internal-accounts?currency=USD')).body.data[0].balance.amount
}

/** The platform and one of its payees, as returned by `preparePayouts`. */
export interface Paying {
  readonly own: string
  readonly payee: string
}

/** Builds the request body of a schedule that pays 100 each day at noon UTC, with an event an hour before. */
export const buildDailySchedule = ({ own, payee }: Paying, more: object = {}) => ({
  name: 'Rent',
  source: { accountId: own },
  destination: { accountId: payee },
  amount: 100,
  rule: { type: 'DAILY' },
  time: '12:00',
  timeZone: 'UTC',
  noticeSeconds: 3600,
  ...more,
})

export async function schedule(client: Pick<Client, 'post'>, body: object): Promise<Reply['body']> {
  const reply = await client.post('/payment-schedules', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/**
 * Creates a schedule that waits for approval. From then on, the platform requires two team members for each
 * approval.
 */
export async function waitingSchedule(client: Client, body: object): Promise<Reply['body']> {
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  const created = await schedule(client, body)
  expect(created.status).toBe('AWAITING_APPROVAL')
  return created
}

/** Creates a schedule that waits for one approval. */
export const approvableSchedule = (client: Client, body: object) =>
  schedule(client, { ...body, needsApproval: true })

export const change = (client: Pick<Client, 'post'>, id: string, what: string, body?: object) =>
  client.post(`/payment-schedules/${id}/${what}`, body ?? (what === 'skip' ? {} : undefined))

export async function readSchedule(client: Client, id: string): Promise<Reply['body']> {
  return (await client.get(`/payment-schedules/${id}`)).body
}

/** Lists the payments of a schedule, oldest first. */
export async function listScheduleOccurrences(client: Client, id: string): Promise<Reply['body'][]> {
  return (await client.get(`/payment-schedules/${id}/occurrences?limit=100`)).body.data.reverse()
}

/** Moves the clock to this many seconds after a schedule's next payment, or before it if negative. */
export async function advanceToNext(client: Client, id: string, seconds = 0): Promise<string> {
  const [next] = (await readSchedule(client, id)).upcoming
  const at = new Date(Date.parse(next.paysAt) + seconds * 1000)
  await client.post('/sandbox/clock/advance', { to: at.toISOString() })
  return next.date
}

/** Registers one of the platform's external accounts as the operator's own. */
export async function registered(
  client: Pick<Client, 'post'>,
  externalAccountId: string,
  more: object = {},
): Promise<Reply['body']> {
  const body = { externalAccountId, reason: 'Our account at the house bank', ...more }
  const reply = await client.post('/platform/own-accounts', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

export const withdrawal = (ownAccountId: string, amount: number, more: object = {}) => ({
  ownAccountId,
  source: 'OWN_CAPITAL',
  amount,
  reason: 'Dividend',
  ...more,
})

export async function withdrawals(client: Client): Promise<Reply['body'][]> {
  return (await client.get('/platform/withdrawals?limit=100')).body.data
}

export async function feesOf(client: Client, currency = 'USD'): Promise<number> {
  const { body } = await client.get(`/platform/fee-balances?currency=${currency}`)
  return body.data[0]?.balance.amount ?? 0
}

export interface Place {
  readonly client: Client
}

const FUNDED = 10_000

/** Creates an external account of the platform. */
export async function newExternal({ client }: Place) {
  const digits = String(Math.floor(Math.random() * 900_000) + 100_000)
  const body = { currency: 'USD', accountInfo: usAccount(`${digits}789`) }
  const { id } = (await client.post('/platform/external-accounts', body)).body
  return { ExternalAccount: String(id) }
}

/** Creates a registered account of the operator. */
export async function newOwnAccount({ client }: Place, more: object = {}) {
  const { ExternalAccount } = await newExternal({ client })
  const { id } = await registered(client, ExternalAccount, more)
  return { OwnAccount: String(id) }
}

/** Creates a withdrawal that waits for one approval, with enough money. */
export async function newWithdrawal({ client }: Place) {
  const { OwnAccount } = await newOwnAccount({ client })
  const [account] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, account.id, FUNDED)
  const body = withdrawal(OwnAccount, 100, { needsApproval: true })
  const { id } = (await client.post('/platform/withdrawals', body)).body
  return { OwnAccount, PlatformWithdrawal: String(id) }
}

/** Larger than any other pull in a world, so that the rule affects no other record. */
const PULLED_AMOUNT = 987_600
const HOLD_RULE = { bankingDays: 2, currency: 'USD', paymentRail: 'ACH', minAmount: PULLED_AMOUNT }

/** Pulls money of a new customer that is then held, and returns the hold's id. Several calls may run concurrently. */
export async function newHeldPull(client: Client): Promise<string> {
  const customer = await newCustomer(client)
  const bank = await newBankAccount(client, customer.id)
  const rules = await client.send('PATCH', '/config', { riskConfig: { fundsHolds: [HOLD_RULE] } })
  expect(rules.status).toBe(200)
  const { status, body } = await client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    amount: PULLED_AMOUNT,
  })
  expect(status).toBe(201)
  await client.advance(0)
  const { data }: Reply['body'] = (await client.get(`/funds-holds?transactionId=${body.id}`)).body
  expect(data).toHaveLength(1)
  return data[0].id
}
