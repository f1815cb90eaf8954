import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numberOf, openProduction, type Production, until } from '../production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterAll(() => world.close())

/** An external account in euros at another bank; the last three digits choose what the bank does. */
async function euroAccount(customerId: string, suffix = '000'): Promise<string> {
  const account = await world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: ibanEndingWith(suffix),
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  expect(account.status, JSON.stringify(account.body)).toBe(201)
  return account.body.id
}

/** A German IBAN that ends with these digits. */
function ibanEndingWith(suffix: string): string {
  const bban = `37040044${'0532013000'.slice(0, 10 - suffix.length)}${suffix}`
  const rest = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - rest).padStart(2, '0')}${bban}`
}

const balanceOf = async (id: string) =>
  (await world.client.get(`/internal-accounts/${id}`)).body.balance.amount

/** A funded customer: the money came in by the bank. */
async function funded(amount = '100000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, amount)
  await until(
    () => world.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`),
    ({ body }) => BigInt(body.data[0].balance.amount) === BigInt(amount),
  )
  return { customerId, account }
}

const statusOf = (id: string) => world.client.get(`/transactions/${id}`)

describe('in production', () => {
  test('a deposit is credited once, and a transfer out is paid once by the bank', async () => {
    const { customerId, account } = await funded()
    const sent = await world.client.post('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: await euroAccount(customerId) },
      amount: 25_000,
    })
    expect(sent.status, JSON.stringify(sent.body)).toBe(201)
    const done = await until(
      () => statusOf(sent.body.id),
      ({ body }) => body.status === 'COMPLETED',
    )
    expect(done.body.type).toBe('OUTGOING')
    const { data } = await world.desk('GET', '/payments')
    expect(data.filter(({ id }: { id: string }) => id === sent.body.id)).toHaveLength(1)
    expect(numberOf(account)).toMatch(/^DE/)
  })
})
