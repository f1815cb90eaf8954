import { describe, expect, test } from 'vitest'
import {
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { clear, newCard, used } from '../../worlds/records/cards.testing.ts'
import { account, quoted, ready, rowsOf, statementOf, to } from '../../worlds/records/payments.testing.ts'

const listKinds = ({ lines }: Reply['body']) => lines.map(({ kind }: Reply['body']) => kind)

/** A wallet with 100 USDB, and a bank account of its holder. */
async function createPayingWallet(suffix?: string) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.wallet, 100_000_000)
  const bank = await newBankAccount(client, customer.id, suffix)
  const session = await signIn(client, customer.wallet)
  const payFromWallet = async () => {
    const quote = await quoted(client, account(customer.wallet), to(bank))
    expect((await sendSigned(client, session, 'POST', `/quotes/${quote.id}/execute`)).status).toBe(200)
    await client.advance(0)
    return quote
  }
  return { client, customer, bank, payFromWallet }
}

describe('a statement', () => {
  test('shows a payment and its fee as two lines that sum to the movement', async () => {
    const { client, customer, bank, payFromWallet } = await createPayingWallet()
    const quote = await payFromWallet()
    const statement = await statementOf(client, customer.wallet)
    expect(listKinds(statement)).toEqual(['DEPOSIT', 'PAYMENT_OUT', 'FEE'])
    const [, payment, fee] = statement.lines
    expect(quote.feesIncluded).toBeGreaterThan(0)
    expect([payment.amount, fee.amount]).toEqual([
      quote.feesIncluded - quote.totalSendingAmount,
      -quote.feesIncluded,
    ])
    expect(payment).toMatchObject({
      transferId: fee.transferId,
      transactionId: quote.transactionId,
      cause: { type: 'quote', id: quote.id },
      counterparty: {
        name: 'Ada Lovelace',
        accountId: bank,
        description: expect.stringContaining('123456789'),
      },
    })
    const transaction = (await client.get(`/transactions/${quote.transactionId}`)).body
    expect(payment.reference).toBe(transaction.reconciliationInstructions.reference)
    expect(statement).toMatchObject({
      account: { id: customer.wallet, ownerName: 'Ada Lovelace', currency: { code: 'USDB', decimals: 6 } },
      openingBalance: 0,
      credits: 100_000_000,
      debits: quote.totalSendingAmount,
      fees: quote.feesIncluded,
      closingBalance: 100_000_000 - quote.totalSendingAmount,
      heldBalance: 0,
      holds: [],
    })
  })

  test('shows the return of a payment and of its fee', async () => {
    const { client, customer, payFromWallet } = await createPayingWallet('005')
    const quote = await payFromWallet()
    await client.advance(3600)
    const statement = await statementOf(client, customer.wallet)
    expect(listKinds(statement)).toEqual(['DEPOSIT', 'PAYMENT_OUT', 'FEE', 'REFUND', 'FEE_REFUND'])
    expect(statement).toMatchObject({ fees: 0, closingBalance: 100_000_000 })
    expect(statement.lines.at(-2)).toMatchObject({
      transactionId: quote.transactionId,
      cause: { type: 'transaction' },
    })
  })

  test('shows holds separately, and counts them at the time of their posting', async () => {
    const { client, customer, bank } = await ready('003')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(1)
    const before = await statementOf(client, customer.usd)
    expect(listKinds(before)).toEqual(['DEPOSIT'])
    expect(before).toMatchObject({ closingBalance: 100_000, heldBalance: quote.totalSendingAmount })
    expect(before.holds).toMatchObject([
      { amount: quote.totalSendingAmount, transactionId: quote.transactionId, cause: { id: quote.id } },
    ])
    await client.advance(3600)
    const after = await statementOf(client, customer.usd, `&from=${before.to}`)
    expect(after).toMatchObject({ openingBalance: 100_000, heldBalance: 0, holds: [] })
    expect(after.closingBalance).toBe(100_000 - quote.totalSendingAmount)
    // Amounts held at the end of the first period are still shown when that period is requested again.
    const repeatedStatement = await statementOf(client, customer.usd, `&to=${before.to}`)
    expect({ ...repeatedStatement, createdAt: before.createdAt }).toEqual(before)
  })

  test('names payer and payee, between internal accounts too', async () => {
    const { client, customer } = await ready()
    const payee = await newCustomer(client, { fullName: 'Charles Babbage' })
    await quoted(client, account(customer.usd), to(payee.usd), { immediatelyExecute: true })
    await client.advance(0)
    expect((await statementOf(client, payee.usd)).lines).toMatchObject([
      { kind: 'PAYMENT_IN', amount: 2500, counterparty: { name: 'Ada Lovelace', accountId: customer.usd } },
    ])
    expect((await statementOf(client, customer.usd)).lines[1]).toMatchObject({
      kind: 'PAYMENT_OUT',
      counterparty: { name: 'Charles Babbage', accountId: payee.usd },
    })
  })

  test('still names an external account after its deletion', async () => {
    const { client, customer, bank } = await ready()
    await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(0)
    expect((await client.send('DELETE', `/customers/external-accounts/${bank}`)).status).toBe(204)
    const [, payment] = (await statementOf(client, customer.usd)).lines
    expect(payment.counterparty).toMatchObject({ name: 'Ada Lovelace', accountId: bank })
    const explanation = await client.get(`/ledger/transfers/${payment.transferId}/explain`)
    expect(explanation.status).toBe(200)
  })

  test('needs an account of the caller’s platform, and a period that does not end before it begins', async () => {
    const [{ client, customer }, otherClient] = [await ready(), await newPlatform()]
    expectError(await otherClient.get(`/statements?accountId=${customer.usd}`), { code: 'ACCOUNT_NOT_FOUND' })
    const path = `/statements?accountId=${customer.usd}`
    const reversedPeriod = `${path}&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`
    expectError(await client.get(reversedPeriod), { code: 'INVALID_INPUT', field: 'to' })
    expectError(await client.get(`${path}&format=pdf`), { code: 'INVALID_INPUT', field: 'format' })
    const empty = await statementOf(
      client,
      customer.usd,
      '&to=2020-01-01T00:00:00Z&from=2020-01-01T00:00:00Z',
    )
    expect(empty).toMatchObject({ openingBalance: 0, closingBalance: 0, lines: [] })
  })
})

describe('a statement as CSV', () => {
  test('has one header row, an opening and a closing row, and never a formula from text that users entered', async () => {
    const { client, customer } = await ready('003')
    await fund(client, customer.usd, 1)
    const card = await newCard(client, customer.id, [customer.usd])
    await clear(client, await used(client, card.id, 700, { descriptor: '=HYPERLINK("http://x","y")' }), 700)
    const bob = await newCustomer(client, { fullName: '@SUM(1), "Bob"' })
    await quoted(client, account(customer.usd), to(bob.usd), {
      immediatelyExecute: true,
      description: '+1\n-2',
    })
    await client.advance(0)
    const rows = await rowsOf(client, `/statements?accountId=${customer.usd}&format=csv`)
    expect(rows.map(({ line }) => line)).toEqual([
      'OPENING',
      ...['MOVEMENT', 'MOVEMENT', 'MOVEMENT', 'MOVEMENT'],
      'CLOSING',
    ])
    expect(rows[3]).toMatchObject({
      kind: 'CARD_PURCHASE',
      counterparty: '\'=HYPERLINK("http://x","y")',
      units: '-700',
      amount: '-7.00',
    })
    expect(rows[4]).toMatchObject({ counterparty: `'@SUM(1), "Bob", ${bob.usd}`, description: "'+1\n'-2" })
    for (const row of rows)
      for (const [column, cell] of Object.entries(row))
        if (!['units', 'amount'].includes(column)) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
    const { headers } = await client.get(`/statements?accountId=${customer.usd}&format=csv`)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="statement-[\d-]+\.csv"$/)
  })

  test('lists holds after the closing balance', async () => {
    const { client, customer, bank } = await ready('003')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(1)
    const rows = await rowsOf(client, `/statements?accountId=${customer.usd}&format=csv`)
    const heldUnits = String(quote.totalSendingAmount)
    expect(rows.slice(-2)).toMatchObject([
      { line: 'CLOSING', balanceUnits: '100000', heldUnits, units: '' },
      { line: 'HOLD', balanceUnits: '', heldUnits, units: '', transactionId: quote.transactionId },
    ])
  })
})

describe('a statement as HTML', () => {
  test('has every movement, escapes text that users entered, and loads and runs nothing', async () => {
    const { client, customer } = await ready()
    const bob = await newCustomer(client, { fullName: '<script>alert(1)</script> & "Bob"' })
    await quoted(client, account(customer.usd), to(bob.usd), { immediatelyExecute: true })
    await client.advance(0)
    const {
      status,
      body: text,
      headers,
    } = await client.get(`/statements?accountId=${customer.usd}&format=html`)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+={0,2}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Bob&quot;')
    expect(text).not.toMatch(/<script|https?:|<link(?! rel="icon" href="data:,")|@import|url\(/)
    for (const phrase of ['Opening balance', 'Closing balance', '1,000.00', '−25.00', '@media print'])
      expect(text).toContain(phrase)
  })
})
