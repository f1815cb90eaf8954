import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { type Reply, until } from '../../worlds/client.testing.ts'
import { openProduction, type Production } from '../../worlds/production/production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterAll(() => world.close())

/** The last three digits of these German IBANs choose what the bank does. */
const PAID = 'DE89370400440532013000'
const RETURNED = 'DE94370400440532013104'

async function createEuroAccount(customerId: string, iban: string): Promise<string> {
  const account = await world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  expect(account.status, JSON.stringify(account.body)).toBe(201)
  return account.body.id
}

async function createUsAccount(customerId: string): Promise<string> {
  const account = await world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '123456789',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  expect(account.status, JSON.stringify(account.body)).toBe(201)
  return account.body.id
}

async function runReconciliation(date: string): Promise<Reply['body'][]> {
  const args = ['reconciliation', 'run', '--date', date]
  return ((await runCommand(world.service.app, args, '')) as { data: Reply['body'][] }).data
}

test('a day of the example bank balances in each currency, even if only its statement shows the payments', async () => {
  const { client } = world
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, '100000')
  await until(
    () => client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`),
    ({ body }) => body.data[0].balance.amount === 100_000,
  )
  const payToIban = async (iban: string, amount: number) => {
    const body = {
      source: { accountId: account.id },
      destination: { accountId: await createEuroAccount(customerId, iban) },
      amount,
    }
    const payment = await client.post('/transfer-out', body)
    expect(payment.status, JSON.stringify(payment.body)).toBe(201)
    return payment.body.id as string
  }
  const returnedId = await payToIban(RETURNED, 7_000)
  await until(
    () => client.get(`/transactions/${returnedId}`),
    ({ body }) => body.status === 'FAILED',
  )
  const quote = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: account.id },
    destination: { destinationType: 'ACCOUNT', accountId: await createUsAccount(customerId) },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2_500,
    immediatelyExecute: true,
  })
  expect(quote.status, JSON.stringify(quote.body)).toBe(201)
  await until(
    () => client.get(`/quotes/${quote.body.id}`),
    ({ body }) => body.status === 'COMPLETED',
  )
  const firstDay = await world.callBank('POST', '/days/close')
  const days = await until(
    () => client.get(`/reconciliations?startDate=${firstDay.date}&endDate=${firstDay.date}&status=BALANCED`),
    ({ body }) => body.data.length === 2,
  )
  const results = days.body.data.map(({ currency, statement, ledger, difference }: Reply['body']) => [
    ...[currency.code, statement.closingBalance, ledger.balance, difference],
  ])
  expect(results.sort()).toEqual([
    ['EUR', 100_000, 100_000, 0],
    ['USD', -2_500, -2_500, 0],
  ])

  // From now on the bank reports nothing. The command fetches the statement, which has all payments.
  await world.callBank('PATCH', '/behaviour', { holdEvents: true })
  const unreportedId = await payToIban(PAID, 4_000)
  await until(
    () => world.callBank('GET', '/payments'),
    ({ data }) =>
      data.some(
        (bankPayment: Reply['body']) => bankPayment.id === unreportedId && bankPayment.status === 'DELIVERED',
      ),
  )
  const secondDay = await world.callBank('POST', '/days/close')
  const reconciledDays = await until(
    () => runReconciliation(secondDay.date),
    (data) => data.every(({ status }) => status === 'BALANCED'),
  )
  expect(reconciledDays.map(({ currency, ledgerBalance }) => [currency, ledgerBalance]).sort()).toEqual([
    ['EUR', '96000'],
    ['USD', '-2500'],
  ])
  expect((await client.get(`/transactions/${unreportedId}`)).body.status).toBe('COMPLETED')
})
