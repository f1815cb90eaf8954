import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { PDF, upload } from '../../worlds/records/onboarding.testing.ts'
import {
  account,
  balancesOf,
  booksOf,
  decide,
  decided,
  decision,
  quoted,
  report,
  statusOf,
  to,
  transactionOf,
} from '../../worlds/records/payments.testing.ts'

const CHARGE = 200
const charged = { charge: { amount: CHARGE, currency: 'USD' } }
const FUNDS = 100_000_000
/** A payment of a quote to this account is on its way for six minutes. */
const LONG = '003'

async function customerWithFunds() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const payee = await newBankAccount(client, customer.id, LONG)
  return { client, customer, payee }
}

/** An executed quote from this account that its rail has accepted. */
async function executed(client: Client, from: string, payee: string) {
  const quote = await quoted(client, account(from), to(payee))
  const reply = await client.post(`/quotes/${quote.id}/execute`)
  expect(reply.status, toJson(reply.body)).toBe(200)
  await client.advance(0)
  expect(await statusOf(client, quote)).toBe('PROCESSING')
  return quote
}

describe('a payment of a quote from an account in another currency', () => {
  test('is settled as a delivered one, with the charge in the currency of the payee', async () => {
    const { client, customer, payee } = await customerWithFunds()
    await fund(client, customer.eur, FUNDS)
    const quote = await executed(client, customer.eur, payee)
    const wrong = { charge: { amount: CHARGE, currency: 'EUR' } }
    expectError(await decide(client, quote.transactionId, decision('DELIVERED', wrong)), {
      code: 'INVALID_CURRENCY',
      field: 'charge.currency',
    })
    await decided(client, quote.transactionId, decision('DELIVERED', charged))
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    const total = Number(quote.totalSendingAmount)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([FUNDS - total, FUNDS - total])
    expect(await booksOf(client)).toMatchObject({ rail: -2500 - CHARGE, costs: CHARGE })
  })

  test('is refunded in full if it came back, whatever banks have charged', async () => {
    const { client, customer, payee } = await customerWithFunds()
    await fund(client, customer.eur, FUNDS)
    const quote = await executed(client, customer.eur, payee)
    await decided(client, quote.transactionId, decision('RETURNED', charged))
    expect(await transactionOf(client, quote)).toMatchObject({
      status: 'FAILED',
      refund: { status: 'COMPLETED' },
    })
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([FUNDS, FUNDS])
    expect(await booksOf(client)).toEqual({ rail: -CHARGE, costs: CHARGE })
    expect(await booksOf(client, 'EUR')).toEqual({ rail: FUNDS })
  })
})

test('money pulled for a failed payment is returned to its source', async () => {
  const { client, customer, payee } = await customerWithFunds()
  const quote = await executed(client, await newBankAccount(client, customer.id), payee)
  const pulled = (await booksOf(client)).rail
  expect(pulled).toBeGreaterThan(0)
  await decided(client, quote.transactionId, decision('FAILED'))
  expect(await transactionOf(client, quote)).toMatchObject({
    status: 'FAILED',
    refund: { status: 'COMPLETED' },
  })
  expect(await booksOf(client)).toEqual({})
})

describe('a payment that the holder of a wallet has signed', () => {
  async function fromWallet() {
    const { client, customer, payee } = await customerWithFunds()
    await fund(client, customer.wallet, FUNDS)
    const quote = await quoted(client, account(customer.wallet), to(payee))
    const session = await signIn(client, customer.wallet)
    const reply = await sendSigned(client, session, 'POST', `/quotes/${quote.id}/execute`)
    expect(reply.status, toJson(reply.body)).toBe(200)
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('PROCESSING')
    return { client, customer, id: String(quote.transactionId) }
  }

  test("is not taken from the wallet by the platform's decision alone", async () => {
    const { client, customer, id } = await fromWallet()
    const before = await balancesOf(client, customer.id, 'USDB')
    const refused = await decide(client, id, decision('DELIVERED'))
    expectError(refused, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(refused.body.details.reason).toBe('LINE_REQUIRED')
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual(before)
  })

  test('is returned to the wallet if it failed, and a later delivery takes nothing from it', async () => {
    const { client, customer, id } = await fromWallet()
    await decided(client, id, decision('FAILED'))
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual([FUNDS, FUNDS])
    const event = await report(client, 'payment.delivered', id)
    expect(event.status).toBe('WAITING')
    await decided(client, id, decision('DELIVERED', { railEventId: event.id }))
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual([FUNDS, FUNDS])
    expect(await booksOf(client)).toEqual({ rail: -2500, receivables: 2500 })
  })
})

test('a document of the payer is evidence and becomes immutable, unlike one of another customer', async () => {
  const { client, customer, payee } = await customerWithFunds()
  await fund(client, customer.usd, FUNDS)
  const quote = await executed(client, customer.usd, payee)
  const stranger = await newCustomer(client)
  const uploaded = (documentHolder: string) =>
    upload(client, '/documents', { documentHolder, documentType: 'BANK_STATEMENT', country: 'US' }, PDF)
  const [own, foreign] = await Promise.all([customer.id, stranger.id].map(uploaded))
  expect(own!.status, toJson(own!.body)).toBe(201)
  const evidence = (documentId: string) => decision('RETURNED', { evidence: { documentId } })
  expectError(await decide(client, quote.transactionId, evidence(foreign!.body.id)), {
    code: 'INVALID_INPUT',
    field: 'evidence.documentId',
  })
  await decided(client, quote.transactionId, evidence(own!.body.id))
  const { data } = (await client.get(`/transactions/${quote.transactionId}/decisions`)).body
  expect(data).toMatchObject([{ evidence: { documentId: own!.body.id } }])
  expectError(await client.send('DELETE', `/documents/${own!.body.id}`), { code: 'DOCUMENT_SUBMITTED' })
  expect((await client.send('DELETE', `/documents/${foreign!.body.id}`)).status).toBe(204)
})
