import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { respelled } from '../../../src/base/formats/screened-addresses.testing.ts'
import { type Client, newCustomer } from '../../worlds/client.testing.ts'
import {
  AMOUNT,
  balances,
  eventTypesOf,
  FUNDED,
  LISTED,
  onlyScreening,
  ready,
  screeningsOf,
  UNLISTED,
} from '../../worlds/records/screenings.testing.ts'
import { newReceiverPlatform } from '../../worlds/simulators/webhook-receiver.testing.ts'

/** Money from an address, paid in to an account where one is named. */
async function paidIn(client: Client, accountId: string | undefined, from: string, more: object = {}) {
  const { status, body } = await client.post('/sandbox/deposits', {
    amount: AMOUNT,
    currency: 'USDC',
    ...(accountId ? { accountId } : {}),
    sender: { accountIdentifier: from },
    ...more,
  })
  expect(status).toBe(201)
  return body
}
const depositOf = async (client: Client, id: string) => (await client.get(`/deposits/${id}`)).body
const posted = async (client: Client, name: string, currency = 'USDC') => {
  const { data } = (await client.get('/ledger/accounts')).body
  const found = data.find((one: { name?: string; currency: { code: string } }) => {
    return one.name === name && one.currency.code === currency
  })
  return found?.posted ?? 0
}

describe('a deposit', () => {
  test('from an address on no list is credited, and its screening is stored', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await paidIn(client, usdc, UNLISTED)
    expect(deposit.status).toBe('CREDITED')
    expect(await balances(client, customer.id)).toEqual([FUNDED + AMOUNT, FUNDED + AMOUNT])
    expect(await onlyScreening(client)).toMatchObject({
      status: 'CLEAR',
      direction: 'CREDIT',
      network: 'EVM',
      address: UNLISTED,
      depositId: deposit.id,
    })
  })

  test('from an address on a list waits in any spelling, and so does an unreadable one', async () => {
    const { client, customer, usdc } = await ready()
    const unreadable = [`0\u0445${LISTED.slice(2)}`, `xdc${UNLISTED.slice(2)}`, `${UNLISTED}0`]
    // A line of text has no tab.
    const spellings = (address: string, count: number) =>
      fc.sample(
        respelled(address.slice(2)).filter((text) => !text.includes('\t')),
        count,
      )
    for (const from of [...spellings(LISTED, 25), ...unreadable])
      expect(await paidIn(client, usdc, from), from).toMatchObject({
        status: 'SUSPENSE',
        reason: 'SCREENING_HIT',
      })
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    for (const from of spellings(UNLISTED, 5))
      expect((await paidIn(client, usdc, from)).status, from).toBe('CREDITED')
  })

  test('from a bank is not screened', async () => {
    const { client, usdc } = await ready()
    expect((await paidIn(client, usdc, 'DE89370400440532013000')).status).toBe('CREDITED')
    expect(await screeningsOf(client)).toEqual([])
  })

  test('from an address on a list waits in suspense, and can be neither assigned nor returned', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await paidIn(client, usdc, LISTED)
    expect(deposit).toMatchObject({ status: 'SUSPENSE', reason: 'SCREENING_HIT' })
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    const screening = await onlyScreening(client)
    expect(screening).toMatchObject({ status: 'WAITING', direction: 'CREDIT', depositId: deposit.id })
    // The overview counts it once, as the list of approvals shows it.
    expect((await client.get('/overview')).body.waiting).toMatchObject({ screenings: 1, deposits: 0 })
    expect(await eventTypesOf(client, screening.id)).toEqual(['SCREENING.WAITING'])
    expect(await eventTypesOf(client, deposit.id)).toEqual(['DEPOSIT.SUSPENDED'])
    const assigned = await client.post(`/deposits/${deposit.id}/assign`, { accountId: usdc })
    const returned = await client.post(`/deposits/${deposit.id}/return`)
    for (const { status, body } of [assigned, returned])
      expect([status, body.code, body.details.screeningId]).toEqual([
        409,
        'SCREENING_NOT_DECIDED',
        screening.id,
      ])
    expect((await depositOf(client, deposit.id)).status).toBe('SUSPENSE')
  })

  test('is credited once one of fifty calls releases it', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await paidIn(client, usdc, LISTED)
    const { id } = await onlyScreening(client)
    const releases = Array.from({ length: 50 }, () => client.post(`/screenings/${id}/release`))
    const statuses = (await Promise.all(releases)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(49).fill(409)])
    await client.advance(0)
    const credited = await depositOf(client, deposit.id)
    expect(credited).toMatchObject({ status: 'CREDITED', accountId: usdc })
    expect(credited.reason).toBeUndefined()
    expect(await balances(client, customer.id)).toEqual([FUNDED + AMOUNT, FUNDED + AMOUNT])
    expect(await posted(client, 'suspense')).toBe(0)
  })

  test('that is rejected stays in suspense with that reason, and a person assigns or returns it', async () => {
    const { client, usdc } = await ready()
    const [one, other] = [await paidIn(client, usdc, LISTED), await paidIn(client, usdc, LISTED)]
    const waiting = await screeningsOf(client, 'status=WAITING')
    for (const { id, depositId } of waiting)
      await client.post(`/screenings/${id}/reject`, depositId === one.id ? { note: 'Frozen' } : undefined)
    await client.advance(0)
    expect(await depositOf(client, one.id)).toMatchObject({ reason: 'SCREENING_HIT', note: 'Frozen' })
    expect(await depositOf(client, other.id)).toMatchObject({
      status: 'SUSPENSE',
      note: "The screening of the sender's address was rejected",
    })
    expect((await client.post(`/deposits/${one.id}/return`)).body.status).toBe('RETURNING')
    expect((await client.post(`/deposits/${other.id}/assign`, { accountId: usdc })).body.status).toBe(
      'CREDITED',
    )
    await client.advance(0)
    expect((await depositOf(client, one.id)).status).toBe('RETURNED')
    expect(await posted(client, 'suspense')).toBe(0)
  })

  test('that is released without an owner stays in suspense for that reason', async () => {
    const { client } = await ready()
    const deposit = await paidIn(client, undefined, LISTED)
    await client.post(`/screenings/${(await onlyScreening(client)).id}/release`)
    await client.advance(0)
    expect(await depositOf(client, deposit.id)).toMatchObject({ status: 'SUSPENSE', reason: 'NO_MATCH' })
    expect(await posted(client, 'suspense')).toBe(AMOUNT)
  })

  test('that was taken back before its release is not credited', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await paidIn(client, usdc, LISTED)
    await client.post(`/sandbox/deposits/${deposit.id}/reverse`)
    await client.post(`/screenings/${(await onlyScreening(client)).id}/release`)
    await client.advance(0)
    expect((await depositOf(client, deposit.id)).status).toBe('REVERSED')
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
  })
})

describe('a deposit that pays a quote', () => {
  async function funding(client: Client, customerId: string, usd: string) {
    const { status, body } = await client.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USDC', customerId },
      destination: { destinationType: 'ACCOUNT', accountId: usd },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: AMOUNT,
    })
    expect(status).toBe(201)
    const { reference } = (await client.get(`/transactions/${body.transactionId}`)).body
      .reconciliationInstructions
    return { quote: body, remittanceInformation: reference }
  }

  test('pays it once it is released', async () => {
    const { client, customer } = await ready()
    const { quote, remittanceInformation } = await funding(client, customer.id, customer.usd)
    const deposit = await paidIn(client, undefined, LISTED, { remittanceInformation })
    expect(deposit.status).toBe('SUSPENSE')
    const rail = await posted(client, 'rail')
    await client.post(`/screenings/${(await onlyScreening(client)).id}/release`)
    await client.advance(0)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('COMPLETED')
    expect(await depositOf(client, deposit.id)).toMatchObject({
      status: 'FUNDED',
      transactionId: quote.transactionId,
    })
    expect(await posted(client, 'suspense')).toBe(0)
    expect(await posted(client, 'rail')).toBe(rail)
  })

  test('is returned to its sender if the quote has ended in the meantime', async () => {
    const { client, customer } = await ready()
    const { quote, remittanceInformation } = await funding(client, customer.id, customer.usd)
    const deposit = await paidIn(client, undefined, LISTED, { remittanceInformation })
    await client.advance(86_400)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('EXPIRED')
    expect((await depositOf(client, deposit.id)).status).toBe('SUSPENSE')
    await client.post(`/screenings/${(await onlyScreening(client)).id}/release`)
    await client.advance(0)
    expect(await depositOf(client, deposit.id)).toMatchObject({ status: 'RETURNED', reason: 'QUOTE_ENDED' })
    expect(await posted(client, 'suspense')).toBe(0)
  })
})

test('a platform that decides about deposits also decides about a released one', async () => {
  const { client, receiver } = await newReceiverPlatform()
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200)
  const customer = await newCustomer(client)
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`)
  const deposit = await paidIn(client, body.data[0].id, LISTED)
  expect(deposit.status).toBe('SUSPENSE')
  await client.post(`/screenings/${(await onlyScreening(client)).id}/release`)
  await client.advance(0)
  const pending = await depositOf(client, deposit.id)
  expect(pending.status).toBe('PENDING')
  const approved = await client.post(`/transactions/${pending.transactionId}/approve`)
  expect(approved.status).toBe(200)
  await client.advance(0)
  expect((await depositOf(client, deposit.id)).status).toBe('CREDITED')
  expect(await posted(client, 'suspense')).toBe(0)
})
