import { beforeAll, describe, expect, test } from 'vitest'
import { operate } from '../../../src/people/platforms/operate.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  approve,
  type InternalAccount,
  newPending,
  numberOf,
} from '../../worlds/production/production.testing.ts'
import { world as openWorld, type Worlds } from '../../worlds/world.testing.ts'

let world: Worlds['production+bank']
beforeAll(async () => {
  world = await openWorld('production+bank')
})

const IBAN = 'DE89370400440532013000'
const listDeposits = async (query: string) => (await world.client.get(`/deposits?${query}`)).body.data

/** Waits until the server has the deposit with this id at the bank. */
const waitForDeposit = (depositId: string, status?: string) =>
  until(
    async () =>
      (await listDeposits('limit=100')).find(
        ({ railReference }: { railReference: string }) => railReference === depositId,
      ),
    (found) => found !== undefined && (status === undefined || found.status === status),
  )

const readBalance = async ({ id, customerId }: InternalAccount) => {
  const query = customerId
    ? `/customers/internal-accounts?customerId=${customerId}&`
    : '/platform/internal-accounts?'
  const { data } = (await world.client.get(`${query}currency=EUR`)).body
  return Number(data.find((one: InternalAccount) => one.id === id).balance.amount)
}

/** The number that all payers of a currency share. */
async function readPoolNumber(): Promise<string> {
  const { data } = await world.callBank('GET', '/deposits')
  expect(data).toBeDefined()
  const { rows } = await world.service.app.db.query<{ account_info: { iban: string } }>(
    "SELECT account_info FROM deposit_accounts WHERE account_id IS NULL AND currency = 'EUR'",
  )
  return rows[0]!.account_info.iban
}

/** The bank's balance in the books and at the bank, in the smallest unit. */
async function readBothBalances(): Promise<readonly [bigint, bigint]> {
  const { rows } = await world.service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = 'rail:example-bank' AND currency = 'EUR'",
  )
  const { app } = world.service
  const rail = app.rails.find('example-bank')!
  const op = await operate(app, (await app.rails.ownerOf(rail))!)
  return [BigInt(rows[0]?.posted ?? 0), (await rail.balances!(op)).get('EUR') ?? 0n]
}

const readPosted = async (name: string) => {
  const { rows } = await world.service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = $1 AND currency = 'EUR'",
    [name],
  )
  return BigInt(rows[0]?.posted ?? 0)
}

async function openAccount(): Promise<InternalAccount> {
  return world.accountOf(await world.newApproved(), 'EUR')
}

let depositCount = 0
async function payIn(to: string, amount: string, more: object = {}): Promise<string> {
  const depositId = `dep-${++depositCount}`
  await world.callBank('POST', '/deposits', { account: to, amount, depositId, ...more })
  return depositId
}

test('an account of any age gets its number at the bank when its customer is approved', async () => {
  const { client, service } = world
  const id = await newPending(client)
  await service.app.db.query(
    "UPDATE internal_accounts SET created_at = created_at - interval '1 day', updated_at = created_at WHERE customer_id = $1",
    [extractUuid(id)],
  )
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=EUR`)).body
  expect(data).toMatchObject([{ status: 'PENDING', fundingPaymentInstructions: [] }])
  await approve(service, client, id)
  const opened = await world.accountOf(id, 'EUR')
  expect(opened.id).toBe(data[0].id)
  expect(numberOf(opened)).toMatch(/^[A-Z]{2}\d/)
})

describe('a deposit', () => {
  test('to the number of an account is credited to the account, with its sender', {
    tags: 'smoke',
  }, async () => {
    const to = await openAccount()
    const id = await payIn(numberOf(to), '12345', {
      sender: { name: 'Grace Hopper', accountIdentifier: IBAN },
    })
    const credited = await waitForDeposit(id, 'CREDITED')
    expect(credited).toMatchObject({ accountId: to.id, sender: { name: 'Grace Hopper' } })
    expect(await readBalance(to)).toBe(12_345)
    const record = (await world.client.get(`/transactions/${credited.transactionId}`)).body
    expect(record).toMatchObject({
      type: 'INCOMING',
      status: 'COMPLETED',
      source: { sourceType: 'REALTIME_FUNDING', accountHolderName: 'Grace Hopper', accountIdentifier: IBAN },
    })
  })

  test('appears with its sender in the statement of its account and in the ledger explanation', async () => {
    const to = await openAccount()
    const id = await payIn(numberOf(to), '4321', { sender: { name: 'Grace Hopper' } })
    const credited = await waitForDeposit(id, 'CREDITED')
    const statement = await world.client.get(
      `/statements?accountId=${to.id}&from=2026-01-01T00:00:00Z&to=2999-01-01T00:00:00Z`,
    )
    expect(statement.body.lines).toMatchObject([
      { kind: 'DEPOSIT', amount: 4321, counterparty: { name: 'Grace Hopper' }, reference: id },
    ])
    const { data } = (await world.client.get(`/ledger/transfers?cause=${credited.id}`)).body
    const explained = await world.client.get(`/ledger/transfers/${data[0].id}/explain`)
    expect(explained.body.steps[1]).toMatchObject({ step: 'CAUSE', id: credited.id, state: 'CREDITED' })
    expect(explained.body.steps[1].summary).toContain('Grace Hopper')
  })

  test('to the shared number is matched by its reference in any spelling', async () => {
    const to = await openAccount()
    const { rows } = await world.service.app.db.query<{ reference: string }>(
      'SELECT reference FROM deposit_accounts WHERE account_id = $1',
      [to.id.slice(-36)],
    )
    const { reference } = rows[0]!
    const stated = `rent ${reference.slice(0, 4).toLowerCase()} ${reference.slice(4)}-for May`
    const id = await payIn(await readPoolNumber(), '500', { remittanceInformation: stated })
    expect(await waitForDeposit(id, 'CREDITED')).toMatchObject({ accountId: to.id })
  })

  test('that matches nothing waits in suspense until a person assigns or returns it', async () => {
    const before = await readPosted('suspense')
    const pool = await readPoolNumber()
    const assignable = await waitForDeposit(
      await payIn(pool, '700', { remittanceInformation: 'thanks' }),
      'SUSPENSE',
    )
    const returnable = await waitForDeposit(await payIn(pool, '800'), 'SUSPENSE')
    expect([assignable.reason, returnable.reason]).toEqual(['NO_MATCH', 'NO_MATCH'])
    expect(await readPosted('suspense')).toBe(before + 1500n)
    const events = await world.client.events(`&objectId=${assignable.id}`)
    expect(events.map(({ type }) => type)).toContain('DEPOSIT.SUSPENDED')
    const to = await openAccount()
    const assigned = await world.client.post(`/deposits/${assignable.id}/assign`, {
      accountId: to.id,
      note: 'called',
    })
    expect(assigned.body).toMatchObject({ status: 'CREDITED', note: 'called', accountId: to.id })
    expect(await readBalance(to)).toBe(700)
    const secondAssignment = await world.client.post(`/deposits/${assignable.id}/assign`, {
      accountId: to.id,
    })
    expect([secondAssignment.status, secondAssignment.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
    const returned = await world.client.post(`/deposits/${returnable.id}/return`)
    expect(returned.body.status).toBe('RETURNING')
    await waitForDeposit(returnable.railReference, 'RETURNED')
    expect(await readPosted('suspense')).toBe(before)
    const [booked, atBank] = await readBothBalances()
    expect(booked).toBe(atBank)
  })

  test('in another currency than the account waits in suspense', async () => {
    const to = await openAccount()
    const id = await payIn(numberOf(to), '900', { currency: 'USD' })
    expect(await waitForDeposit(id)).toMatchObject({ status: 'SUSPENSE', reason: 'OTHER_CURRENCY' })
  })

  test('in suspense accepts one of fifty parallel decisions', async () => {
    const waiting = await waitForDeposit(await payIn(await readPoolNumber(), '1000'), 'SUSPENSE')
    const to = await openAccount()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 2 === 0
          ? world.client.post(`/deposits/${waiting.id}/assign`, { accountId: to.id })
          : world.client.post(`/deposits/${waiting.id}/return`),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(49)
  })

  test('that its bank reverses is taken from the account, and the spent part is owed to the platform', async () => {
    const to = await openAccount()
    const id = await payIn(numberOf(to), '10000')
    const credited = await waitForDeposit(id, 'CREDITED')
    const customerId = to.customerId
    const bank = await world.client.post('/customers/external-accounts', {
      customerId,
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: IBAN,
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
      },
    })
    const transfer = await world.client.post('/transfer-out', {
      source: { accountId: to.id },
      destination: { accountId: bank.body.id },
      amount: 7_000,
    })
    await until(
      () => world.client.get(`/transactions/${transfer.body.id}`),
      ({ body }) => body.status === 'COMPLETED',
    )
    const owed = await readPosted('receivables')
    await world.callBank('POST', `/deposits/${id}/reverse`)
    await waitForDeposit(id, 'REVERSED')
    expect(await readBalance(to)).toBe(0)
    expect(await readPosted('receivables')).toBe(owed + 7_000n)
    const record = (await world.client.get(`/transactions/${credited.transactionId}`)).body
    expect(record).toMatchObject({ status: 'REFUNDED', counterpartyInformation: { shortfall: '7000' } })
    const events = await world.client.events(`&objectId=${credited.transactionId}`)
    expect(events.map(({ type }) => type)).toContain('INCOMING_PAYMENT.RETURNED')
    const [booked, atBank] = await readBothBalances()
    expect(booked).toBe(atBank)
  })
})

describe('on a platform that approves its payments', () => {
  test('a deposit waits in suspense, and is credited if approved or returned if rejected', async () => {
    const configured = await world.client.send('PATCH', '/config', {
      webhookEndpoint: 'https://hooks.example/none',
    })
    expect(configured.status).toBe(200)
    try {
      const to = await openAccount()
      const toApprove = await waitForDeposit(await payIn(numberOf(to), '300'), 'PENDING')
      const toReject = await waitForDeposit(await payIn(numberOf(to), '400'), 'PENDING')
      expect(await readBalance(to)).toBe(0)
      const approved = await world.client.post(`/transactions/${toApprove.transactionId}/approve`)
      expect(approved.status, JSON.stringify(approved.body)).toBe(200)
      await waitForDeposit(toApprove.railReference, 'CREDITED')
      await world.client.post(`/transactions/${toReject.transactionId}/reject`, { reason: 'Not expected' })
      await waitForDeposit(toReject.railReference, 'RETURNED')
      expect(await readBalance(to)).toBe(300)
    } finally {
      await world.client.send('PATCH', '/config', { webhookEndpoint: null })
    }
  })
})

describe('a quote that is paid by a deposit', () => {
  const createQuote = async (customerId: string, accountId: string) => {
    const quote = await world.client.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', customerId, currency: 'EUR' },
      destination: { destinationType: 'ACCOUNT', accountId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 50_000,
    })
    expect(quote.status, JSON.stringify(quote.body)).toBe(201)
    return quote.body
  }

  test('is executed by the deposit with its reference', async () => {
    const customerId = await world.newApproved()
    const to = await world.accountOf(customerId, 'USD')
    const quote = await createQuote(customerId, to.id)
    const [{ accountOrWalletInfo }] = quote.paymentInstructions
    expect(accountOrWalletInfo).toMatchObject({ accountType: 'EUR_ACCOUNT', iban: await readPoolNumber() })
    const { reference } = accountOrWalletInfo
    await payIn(accountOrWalletInfo.iban, '50000', { remittanceInformation: `Payment ${reference}` })
    await until(
      () => world.client.get(`/quotes/${quote.id}`),
      ({ body }) => body.status === 'COMPLETED',
    )
  })

  test('fails if another amount arrives, and the money is returned', async () => {
    const customerId = await world.newApproved()
    const to = await world.accountOf(customerId, 'USD')
    const quote = await createQuote(customerId, to.id)
    const [{ accountOrWalletInfo: info }] = quote.paymentInstructions
    const id = await payIn(info.iban, '40000', { remittanceInformation: info.reference })
    await waitForDeposit(id, 'RETURNED')
    const payment = (await world.client.get(`/transactions/${quote.transactionId}`)).body
    expect(payment).toMatchObject({
      status: 'FAILED',
      failureReason: 'FUNDING_AMOUNT_MISMATCH',
      refund: { status: 'COMPLETED' },
    })
    const late = await payIn(info.iban, '50000', { remittanceInformation: info.reference })
    expect(await waitForDeposit(late, 'RETURNED')).toMatchObject({ reason: 'QUOTE_ENDED' })
    const [booked, atBank] = await readBothBalances()
    expect(booked).toBe(atBank)
  })
})
