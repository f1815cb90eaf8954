import { beforeAll, describe, expect, test } from 'vitest'
import { operate } from '../../../src/people/platforms/operate.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
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

const ALL = 'DE89370400440532013000'
const depositsOf = async (query: string) => (await world.client.get(`/deposits?${query}`)).body.data

/** The deposit with this id at the bank, once the server has it. */
const deposit = (depositId: string, status?: string) =>
  until(
    async () =>
      (await depositsOf('limit=100')).find(
        ({ railReference }: { railReference: string }) => railReference === depositId,
      ),
    (found) => found !== undefined && (status === undefined || found.status === status),
  )

const balance = async ({ id, customerId }: InternalAccount) => {
  const query = customerId
    ? `/customers/internal-accounts?customerId=${customerId}&`
    : '/platform/internal-accounts?'
  const { data } = (await world.client.get(`${query}currency=EUR`)).body
  return Number(data.find((one: InternalAccount) => one.id === id).balance.amount)
}

/** The number that all payers of a currency share. */
async function poolNumber(): Promise<string> {
  const { data } = await world.callBank('GET', '/deposits')
  expect(data).toBeDefined()
  const { rows } = await world.service.app.db.query<{ account_info: { iban: string } }>(
    "SELECT account_info FROM deposit_accounts WHERE account_id IS NULL AND currency = 'EUR'",
  )
  return rows[0]!.account_info.iban
}

/** The balance of the bank in the books, and at the bank, in the smallest unit. */
async function bothBalances(): Promise<readonly [bigint, bigint]> {
  const { rows } = await world.service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = 'rail:example-bank' AND currency = 'EUR'",
  )
  const { app } = world.service
  const rail = app.rails.find('example-bank')!
  const op = await operate(app, (await app.rails.ownerOf(rail))!)
  return [BigInt(rows[0]?.posted ?? 0), (await rail.balances!(op)).get('EUR') ?? 0n]
}

const posted = async (name: string) => {
  const { rows } = await world.service.app.db.query<{ posted: bigint }>(
    "SELECT posted FROM ledger_accounts WHERE name = $1 AND currency = 'EUR'",
    [name],
  )
  return BigInt(rows[0]?.posted ?? 0)
}

async function account(): Promise<InternalAccount> {
  return world.accountOf(await world.newApproved(), 'EUR')
}

let made = 0
async function paidIn(to: string, amount: string, more: object = {}): Promise<string> {
  const depositId = `dep-${++made}`
  await world.callBank('POST', '/deposits', { account: to, amount, depositId, ...more })
  return depositId
}

test('an account of any age gets its number at the bank when its customer is approved', async () => {
  const { client, service } = world
  const id = await newPending(client)
  await service.app.db.query(
    "UPDATE internal_accounts SET created_at = created_at - interval '1 day', updated_at = created_at WHERE customer_id = $1",
    [uuidOf(id)],
  )
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=EUR`)).body
  expect(data).toMatchObject([{ status: 'PENDING', fundingPaymentInstructions: [] }])
  await approve(service, client, id)
  const opened = await world.accountOf(id, 'EUR')
  expect(opened.id).toBe(data[0].id)
  expect(numberOf(opened)).toMatch(/^[A-Z]{2}\d/)
})

describe('a deposit', () => {
  test('to the number of an account is on the account, with its sender', { tags: 'smoke' }, async () => {
    const to = await account()
    const id = await paidIn(numberOf(to), '12345', {
      sender: { name: 'Grace Hopper', accountIdentifier: ALL },
    })
    const credited = await deposit(id, 'CREDITED')
    expect(credited).toMatchObject({ accountId: to.id, sender: { name: 'Grace Hopper' } })
    expect(await balance(to)).toBe(12_345)
    const record = (await world.client.get(`/transactions/${credited.transactionId}`)).body
    expect(record).toMatchObject({
      type: 'INCOMING',
      status: 'COMPLETED',
      source: { sourceType: 'REALTIME_FUNDING', accountHolderName: 'Grace Hopper', accountIdentifier: ALL },
    })
  })

  test('is in the statement of its account and in the explanation of the ledger, with its sender', async () => {
    const to = await account()
    const id = await paidIn(numberOf(to), '4321', { sender: { name: 'Grace Hopper' } })
    const credited = await deposit(id, 'CREDITED')
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

  test('to the shared number is matched by the reference, however it is written', async () => {
    const to = await account()
    const { rows } = await world.service.app.db.query<{ reference: string }>(
      'SELECT reference FROM deposit_accounts WHERE account_id = $1',
      [to.id.slice(-36)],
    )
    const { reference } = rows[0]!
    const stated = `rent ${reference.slice(0, 4).toLowerCase()} ${reference.slice(4)}-for May`
    const id = await paidIn(await poolNumber(), '500', { remittanceInformation: stated })
    expect(await deposit(id, 'CREDITED')).toMatchObject({ accountId: to.id })
  })

  test('that fits nothing waits in suspense, and is assigned or returned by a person', async () => {
    const before = await posted('suspense')
    const pool = await poolNumber()
    const one = await deposit(await paidIn(pool, '700', { remittanceInformation: 'thanks' }), 'SUSPENSE')
    const other = await deposit(await paidIn(pool, '800'), 'SUSPENSE')
    expect([one.reason, other.reason]).toEqual(['NO_MATCH', 'NO_MATCH'])
    expect(await posted('suspense')).toBe(before + 1500n)
    const events = await world.client.events(`&objectId=${one.id}`)
    expect(events.map(({ type }) => type)).toContain('DEPOSIT.SUSPENDED')
    const to = await account()
    const assigned = await world.client.post(`/deposits/${one.id}/assign`, {
      accountId: to.id,
      note: 'called',
    })
    expect(assigned.body).toMatchObject({ status: 'CREDITED', note: 'called', accountId: to.id })
    expect(await balance(to)).toBe(700)
    const again = await world.client.post(`/deposits/${one.id}/assign`, { accountId: to.id })
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
    const returned = await world.client.post(`/deposits/${other.id}/return`)
    expect(returned.body.status).toBe('RETURNING')
    await deposit(other.railReference, 'RETURNED')
    expect(await posted('suspense')).toBe(before)
    const [ours, theirs] = await bothBalances()
    expect(ours).toBe(theirs)
  })

  test('in another currency than the account waits in suspense', async () => {
    const to = await account()
    const id = await paidIn(numberOf(to), '900', { currency: 'USD' })
    expect(await deposit(id)).toMatchObject({ status: 'SUSPENSE', reason: 'OTHER_CURRENCY' })
  })

  test('in suspense accepts one of fifty parallel decisions', async () => {
    const waiting = await deposit(await paidIn(await poolNumber(), '1000'), 'SUSPENSE')
    const to = await account()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        n % 2 === 0
          ? world.client.post(`/deposits/${waiting.id}/assign`, { accountId: to.id })
          : world.client.post(`/deposits/${waiting.id}/return`),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
  })

  test('that its bank takes back is taken from the account; the spent part is owed to the platform', async () => {
    const to = await account()
    const id = await paidIn(numberOf(to), '10000')
    const credited = await deposit(id, 'CREDITED')
    const customerId = to.customerId
    const bank = await world.client.post('/customers/external-accounts', {
      customerId,
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: ALL,
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
      },
    })
    const sent = await world.client.post('/transfer-out', {
      source: { accountId: to.id },
      destination: { accountId: bank.body.id },
      amount: 7_000,
    })
    await until(
      () => world.client.get(`/transactions/${sent.body.id}`),
      ({ body }) => body.status === 'COMPLETED',
    )
    const owed = await posted('receivables')
    await world.callBank('POST', `/deposits/${id}/reverse`)
    await deposit(id, 'REVERSED')
    expect(await balance(to)).toBe(0)
    expect(await posted('receivables')).toBe(owed + 7_000n)
    const record = (await world.client.get(`/transactions/${credited.transactionId}`)).body
    expect(record).toMatchObject({ status: 'REFUNDED', counterpartyInformation: { shortfall: '7000' } })
    const events = await world.client.events(`&objectId=${credited.transactionId}`)
    expect(events.map(({ type }) => type)).toContain('INCOMING_PAYMENT.RETURNED')
    const [ours, theirs] = await bothBalances()
    expect(ours).toBe(theirs)
  })
})

describe('if the platform decides about payments', () => {
  test('a deposit waits in suspense for its decision: approved it is credited, rejected it is returned', async () => {
    const hooked = await world.client.send('PATCH', '/config', {
      webhookEndpoint: 'https://hooks.example/none',
    })
    expect(hooked.status).toBe(200)
    try {
      const to = await account()
      const yes = await deposit(await paidIn(numberOf(to), '300'), 'PENDING')
      const no = await deposit(await paidIn(numberOf(to), '400'), 'PENDING')
      expect(await balance(to)).toBe(0)
      const approved = await world.client.post(`/transactions/${yes.transactionId}/approve`)
      expect(approved.status, JSON.stringify(approved.body)).toBe(200)
      await deposit(yes.railReference, 'CREDITED')
      await world.client.post(`/transactions/${no.transactionId}/reject`, { reason: 'Not expected' })
      await deposit(no.railReference, 'RETURNED')
      expect(await balance(to)).toBe(300)
    } finally {
      await world.client.send('PATCH', '/config', { webhookEndpoint: null })
    }
  })
})

describe('a quote that is paid in', () => {
  const quoteOf = async (customerId: string, accountId: string) => {
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
    const quote = await quoteOf(customerId, to.id)
    const [{ accountOrWalletInfo }] = quote.paymentInstructions
    expect(accountOrWalletInfo).toMatchObject({ accountType: 'EUR_ACCOUNT', iban: await poolNumber() })
    const { reference } = accountOrWalletInfo
    await paidIn(accountOrWalletInfo.iban, '50000', { remittanceInformation: `Payment ${reference}` })
    await until(
      () => world.client.get(`/quotes/${quote.id}`),
      ({ body }) => body.status === 'COMPLETED',
    )
  })

  test('with another amount fails, and the money is returned', async () => {
    const customerId = await world.newApproved()
    const to = await world.accountOf(customerId, 'USD')
    const quote = await quoteOf(customerId, to.id)
    const [{ accountOrWalletInfo: info }] = quote.paymentInstructions
    const id = await paidIn(info.iban, '40000', { remittanceInformation: info.reference })
    await deposit(id, 'RETURNED')
    const payment = (await world.client.get(`/transactions/${quote.transactionId}`)).body
    expect(payment).toMatchObject({
      status: 'FAILED',
      failureReason: 'FUNDING_AMOUNT_MISMATCH',
      refund: { status: 'COMPLETED' },
    })
    const late = await paidIn(info.iban, '50000', { remittanceInformation: info.reference })
    expect(await deposit(late, 'RETURNED')).toMatchObject({ reason: 'QUOTE_ENDED' })
    const [ours, theirs] = await bothBalances()
    expect(ours).toBe(theirs)
  })
})
