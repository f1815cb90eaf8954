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
  decide,
  decided,
  decision,
  quoted,
  readQuoteTransaction,
  readSystemBalances,
  report,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'

const CHARGE = 200
const chargeField = { charge: { amount: CHARGE, currency: 'USD' } }
const FUNDS = 100_000_000
/** Quote payments to accounts with this suffix take six minutes. */
const SLOW_SUFFIX = '003'

async function createPayer() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const payee = await newBankAccount(client, customer.id, SLOW_SUFFIX)
  return { client, customer, payee }
}

/** Executes a quote from this account until its rail has accepted the payment. */
async function executeQuote(client: Client, from: string, payee: string) {
  const quote = await quoted(client, account(from), to(payee))
  const reply = await client.post(`/quotes/${quote.id}/execute`)
  expect(reply.status, toJson(reply.body)).toBe(200)
  await client.advance(0)
  expect(await statusOf(client, quote)).toBe('PROCESSING')
  return quote
}

describe('a payment of a quote from an account in another currency', () => {
  test('is settled like a delivered payment, with the charge in the currency of the payee', async () => {
    const { client, customer, payee } = await createPayer()
    await fund(client, customer.eur, FUNDS)
    const quote = await executeQuote(client, customer.eur, payee)
    const wrongCharge = { charge: { amount: CHARGE, currency: 'EUR' } }
    expectError(await decide(client, quote.transactionId, decision('DELIVERED', wrongCharge)), {
      code: 'INVALID_CURRENCY',
      field: 'charge.currency',
    })
    await decided(client, quote.transactionId, decision('DELIVERED', chargeField))
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    const total = Number(quote.totalSendingAmount)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([FUNDS - total, FUNDS - total])
    expect(await readSystemBalances(client)).toMatchObject({ rail: -2500 - CHARGE, costs: CHARGE })
  })

  test('is refunded in full if it was returned, whatever the banks have charged', async () => {
    const { client, customer, payee } = await createPayer()
    await fund(client, customer.eur, FUNDS)
    const quote = await executeQuote(client, customer.eur, payee)
    await decided(client, quote.transactionId, decision('RETURNED', chargeField))
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'FAILED',
      refund: { status: 'COMPLETED' },
    })
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([FUNDS, FUNDS])
    expect(await readSystemBalances(client)).toEqual({ rail: -CHARGE, costs: CHARGE })
    expect(await readSystemBalances(client, 'EUR')).toEqual({ rail: FUNDS })
  })
})

test('money pulled for a failed payment is returned to its source', async () => {
  const { client, customer, payee } = await createPayer()
  const quote = await executeQuote(client, await newBankAccount(client, customer.id), payee)
  const pulledAmount = (await readSystemBalances(client)).rail
  expect(pulledAmount).toBeGreaterThan(0)
  await decided(client, quote.transactionId, decision('FAILED'))
  expect(await readQuoteTransaction(client, quote)).toMatchObject({
    status: 'FAILED',
    refund: { status: 'COMPLETED' },
  })
  expect(await readSystemBalances(client)).toEqual({})
})

describe('a payment that the holder of a wallet has signed', () => {
  async function payFromWallet() {
    const { client, customer, payee } = await createPayer()
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
    const { client, customer, id } = await payFromWallet()
    const before = await balancesOf(client, customer.id, 'USDB')
    const refusal = await decide(client, id, decision('DELIVERED'))
    expectError(refusal, { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(refusal.body.details.reason).toBe('LINE_REQUIRED')
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual(before)
  })

  test('is returned to the wallet if it failed, and a later delivery takes nothing from the wallet', async () => {
    const { client, customer, id } = await payFromWallet()
    await decided(client, id, decision('FAILED'))
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual([FUNDS, FUNDS])
    const event = await report(client, 'payment.delivered', id)
    expect(event.status).toBe('WAITING')
    await decided(client, id, decision('DELIVERED', { railEventId: event.id }))
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual([FUNDS, FUNDS])
    expect(await readSystemBalances(client)).toEqual({ rail: -2500, receivables: 2500 })
  })
})

test("a payer's document serves as evidence and becomes immutable, unlike another customer's document", async () => {
  const { client, customer, payee } = await createPayer()
  await fund(client, customer.usd, FUNDS)
  const quote = await executeQuote(client, customer.usd, payee)
  const stranger = await newCustomer(client)
  const uploadDocument = (documentHolder: string) =>
    upload(client, '/documents', { documentHolder, documentType: 'BANK_STATEMENT', country: 'US' }, PDF)
  const [ownDocument, foreignDocument] = await Promise.all([customer.id, stranger.id].map(uploadDocument))
  expect(ownDocument!.status, toJson(ownDocument!.body)).toBe(201)
  const withEvidence = (documentId: string) => decision('RETURNED', { evidence: { documentId } })
  expectError(await decide(client, quote.transactionId, withEvidence(foreignDocument!.body.id)), {
    code: 'INVALID_INPUT',
    field: 'evidence.documentId',
  })
  await decided(client, quote.transactionId, withEvidence(ownDocument!.body.id))
  const { data } = (await client.get(`/transactions/${quote.transactionId}/decisions`)).body
  expect(data).toMatchObject([{ evidence: { documentId: ownDocument!.body.id } }])
  expectError(await client.send('DELETE', `/documents/${ownDocument!.body.id}`), {
    code: 'DOCUMENT_SUBMITTED',
  })
  expect((await client.send('DELETE', `/documents/${foreignDocument!.body.id}`)).status).toBe(204)
})
