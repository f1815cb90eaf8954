import { expect, test } from 'vitest'
import { fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'

const ADDRESSES = {
  BASE_WALLET: ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', /^0x[0-9a-f]{64}$/],
  SOLANA_WALLET: ['4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg', /^[1-9A-HJ-NP-Za-km-z]{80,90}$/],
} as const

test('a payout delivered on a chain shows its transaction hash, whether it was a quote or a transfer', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`))
    .body
  const usdc = data[0].id
  await fund(client, usdc, 50_000_000)
  await fund(client, customer.usd, 100_000)
  for (const [accountType, [address, hashFormat]] of Object.entries(ADDRESSES)) {
    const accountInfo = { accountType, address }
    const { body: wallet } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'USDC',
      accountInfo,
    })
    const { body: transfer } = await client.post('/transfer-out', {
      source: { accountId: usdc },
      destination: { accountId: wallet.id },
      amount: 1_000_000,
    })
    const { body: quote } = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: customer.usd },
      destination: { destinationType: 'ACCOUNT', accountId: wallet.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000,
      immediatelyExecute: true,
    })
    expect(transfer.reconciliationInstructions).toEqual({ reference: expect.any(String) })
    await client.advance(0)
    for (const id of [transfer.id, quote.transactionId]) {
      const { body } = await client.get(`/transactions/${id}`)
      expect(body).toMatchObject({ status: 'COMPLETED', type: 'OUTGOING' })
      expect(body.reconciliationInstructions.transactionHash).toMatch(hashFormat)
    }
  }
})
