import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { respelled } from '../../../src/base/formats/screened-addresses.testing.ts'
import { type Client, newCustomer } from '../../worlds/client.testing.ts'
import {
  AMOUNT,
  balances,
  eventTypesOf,
  FUNDED,
  findOnlyScreening,
  LISTED,
  listScreenings,
  ready,
  UNLISTED,
} from '../../worlds/records/screenings.testing.ts'
import { newReceiverPlatform } from '../../worlds/simulators/webhook-receiver.testing.ts'

/** Pays in from an address, to an account if one is named. */
async function payIn(client: Client, accountId: string | undefined, from: string, more: object = {}) {
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
const readDeposit = async (client: Client, id: string) => (await client.get(`/deposits/${id}`)).body
const readPostedBalance = async (client: Client, name: string, currency = 'USDC') => {
  const { data } = (await client.get('/ledger/accounts')).body
  const found = data.find((one: { name?: string; currency: { code: string } }) => {
    return one.name === name && one.currency.code === currency
  })
  return found?.posted ?? 0
}

describe('a deposit', () => {
  test('from an unlisted address is credited, and its screening is stored', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await payIn(client, usdc, UNLISTED)
    expect(deposit.status).toBe('CREDITED')
    expect(await balances(client, customer.id)).toEqual([FUNDED + AMOUNT, FUNDED + AMOUNT])
    expect(await findOnlyScreening(client)).toMatchObject({
      status: 'CLEAR',
      direction: 'CREDIT',
      network: 'EVM',
      address: UNLISTED,
      depositId: deposit.id,
    })
  })

  test('from a listed address waits in any spelling, and so does one from an unreadable address', async () => {
    const { client, customer, usdc } = await ready()
    const unreadable = [`0\u0445${LISTED.slice(2)}`, `xdc${UNLISTED.slice(2)}`, `${UNLISTED}0`]
    // The field holds a single line without tabs.
    const sampleSpellings = (address: string, count: number) =>
      fc.sample(
        respelled(address.slice(2)).filter((text) => !text.includes('\t')),
        count,
      )
    for (const from of [...sampleSpellings(LISTED, 25), ...unreadable])
      expect(await payIn(client, usdc, from), from).toMatchObject({
        status: 'SUSPENSE',
        reason: 'SCREENING_HIT',
      })
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    for (const from of sampleSpellings(UNLISTED, 5))
      expect((await payIn(client, usdc, from)).status, from).toBe('CREDITED')
  })

  test('from a bank is not screened', async () => {
    const { client, usdc } = await ready()
    expect((await payIn(client, usdc, 'DE89370400440532013000')).status).toBe('CREDITED')
    expect(await listScreenings(client)).toEqual([])
  })

  test('from a listed address waits in suspense, and can be neither assigned nor returned', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await payIn(client, usdc, LISTED)
    expect(deposit).toMatchObject({ status: 'SUSPENSE', reason: 'SCREENING_HIT' })
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    const screening = await findOnlyScreening(client)
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
    expect((await readDeposit(client, deposit.id)).status).toBe('SUSPENSE')
  })

  test('is credited once after one of fifty calls releases it', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await payIn(client, usdc, LISTED)
    const { id } = await findOnlyScreening(client)
    const releases = Array.from({ length: 50 }, () => client.post(`/screenings/${id}/release`))
    const statuses = (await Promise.all(releases)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(49).fill(409)])
    await client.advance(0)
    const credited = await readDeposit(client, deposit.id)
    expect(credited).toMatchObject({ status: 'CREDITED', accountId: usdc })
    expect(credited.reason).toBeUndefined()
    expect(await balances(client, customer.id)).toEqual([FUNDED + AMOUNT, FUNDED + AMOUNT])
    expect(await readPostedBalance(client, 'suspense')).toBe(0)
  })

  test('whose screening is rejected stays in suspense with the note, until a person assigns or returns it', async () => {
    const { client, usdc } = await ready()
    const [first, second] = [await payIn(client, usdc, LISTED), await payIn(client, usdc, LISTED)]
    const waiting = await listScreenings(client, 'status=WAITING')
    for (const { id, depositId } of waiting)
      await client.post(`/screenings/${id}/reject`, depositId === first.id ? { note: 'Frozen' } : undefined)
    await client.advance(0)
    expect(await readDeposit(client, first.id)).toMatchObject({ reason: 'SCREENING_HIT', note: 'Frozen' })
    expect(await readDeposit(client, second.id)).toMatchObject({
      status: 'SUSPENSE',
      note: "The screening of the sender's address was rejected",
    })
    expect((await client.post(`/deposits/${first.id}/return`)).body.status).toBe('RETURNING')
    expect((await client.post(`/deposits/${second.id}/assign`, { accountId: usdc })).body.status).toBe(
      'CREDITED',
    )
    await client.advance(0)
    expect((await readDeposit(client, first.id)).status).toBe('RETURNED')
    expect(await readPostedBalance(client, 'suspense')).toBe(0)
  })

  test('that is released without an owner stays in suspense as unmatched', async () => {
    const { client } = await ready()
    const deposit = await payIn(client, undefined, LISTED)
    await client.post(`/screenings/${(await findOnlyScreening(client)).id}/release`)
    await client.advance(0)
    expect(await readDeposit(client, deposit.id)).toMatchObject({ status: 'SUSPENSE', reason: 'NO_MATCH' })
    expect(await readPostedBalance(client, 'suspense')).toBe(AMOUNT)
  })

  test('that was reversed before its release is not credited', async () => {
    const { client, customer, usdc } = await ready()
    const deposit = await payIn(client, usdc, LISTED)
    await client.post(`/sandbox/deposits/${deposit.id}/reverse`)
    await client.post(`/screenings/${(await findOnlyScreening(client)).id}/release`)
    await client.advance(0)
    expect((await readDeposit(client, deposit.id)).status).toBe('REVERSED')
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
  })
})

describe('a deposit that pays a quote', () => {
  async function createQuote(client: Client, customerId: string, usd: string) {
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

  test('funds the quote once it is released', async () => {
    const { client, customer } = await ready()
    const { quote, remittanceInformation } = await createQuote(client, customer.id, customer.usd)
    const deposit = await payIn(client, undefined, LISTED, { remittanceInformation })
    expect(deposit.status).toBe('SUSPENSE')
    const rail = await readPostedBalance(client, 'rail')
    await client.post(`/screenings/${(await findOnlyScreening(client)).id}/release`)
    await client.advance(0)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('COMPLETED')
    expect(await readDeposit(client, deposit.id)).toMatchObject({
      status: 'FUNDED',
      transactionId: quote.transactionId,
    })
    expect(await readPostedBalance(client, 'suspense')).toBe(0)
    expect(await readPostedBalance(client, 'rail')).toBe(rail)
  })

  test('is returned to its sender if the quote has expired in the meantime', async () => {
    const { client, customer } = await ready()
    const { quote, remittanceInformation } = await createQuote(client, customer.id, customer.usd)
    const deposit = await payIn(client, undefined, LISTED, { remittanceInformation })
    await client.advance(86_400)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('EXPIRED')
    expect((await readDeposit(client, deposit.id)).status).toBe('SUSPENSE')
    await client.post(`/screenings/${(await findOnlyScreening(client)).id}/release`)
    await client.advance(0)
    expect(await readDeposit(client, deposit.id)).toMatchObject({ status: 'RETURNED', reason: 'QUOTE_ENDED' })
    expect(await readPostedBalance(client, 'suspense')).toBe(0)
  })
})

test('a platform that approves its deposits also approves one that was released from screening', async () => {
  const { client, receiver } = await newReceiverPlatform()
  receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? 202 : 200)
  const customer = await newCustomer(client)
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`)
  const deposit = await payIn(client, body.data[0].id, LISTED)
  expect(deposit.status).toBe('SUSPENSE')
  await client.post(`/screenings/${(await findOnlyScreening(client)).id}/release`)
  await client.advance(0)
  const pending = await readDeposit(client, deposit.id)
  expect(pending.status).toBe('PENDING')
  const approved = await client.post(`/transactions/${pending.transactionId}/approve`)
  expect(approved.status).toBe(200)
  await client.advance(0)
  expect((await readDeposit(client, deposit.id)).status).toBe('CREDITED')
  expect(await readPostedBalance(client, 'suspense')).toBe(0)
})
