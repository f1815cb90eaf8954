import { listCurrenciesOfKind } from '@countersign/contract/core/currencies'
import { describe, expect, test } from 'vitest'
import {
  depositDetails,
  deriveFundingReference,
  listFundingTypes,
  toNetwork,
} from '../../../src/kernel/accounts/funding.ts'
import { sandboxDepositDetails } from '../../../src/outside/sandbox/deposit-details.ts'
import { fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'

const PATH = '/customers/internal-accounts'

describe('internal accounts', () => {
  test('show their available and total balance, and deposit details', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 123_456)
    const [usd] = (await client.get(`${PATH}?customerId=${customer.id}&currency=USD`)).body.data
    const currency = { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 }
    const { createdAt, updatedAt, fundingPaymentInstructions } = usd
    expect(usd).toEqual({
      id: customer.usd,
      customerId: customer.id,
      type: 'INTERNAL_FIAT',
      status: 'ACTIVE',
      balance: { amount: 123_456, currency },
      totalBalance: { amount: 123_456, currency },
      fundingPaymentInstructions,
      privateEnabled: false,
      createdAt,
      updatedAt,
    })
    expect(fundingPaymentInstructions).toMatchObject([
      {
        accountOrWalletInfo: { accountType: 'USD_ACCOUNT', reference: deriveFundingReference(customer.usd) },
      },
    ])
  })

  test('that are wallets are paid at their own address and show if they are private', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const { body } = await client.get(`${PATH}?customerId=${customer.id}&type=EMBEDDED_WALLET`)
    expect(body.data).toMatchObject([
      {
        privateEnabled: false,
        balance: { amount: 0, currency: { code: 'USDB', decimals: 6 } },
        fundingPaymentInstructions: [
          {
            accountOrWalletInfo: { accountType: 'SPARK_WALLET', assetType: 'USDB' },
            isPlatformAccount: false,
          },
        ],
      },
    ])
  })

  test('are listed in pages, by type, currency and customer', async () => {
    const client = await newPlatform()
    const [firstCustomer, secondCustomer] = [await newCustomer(client), await newCustomer(client)]
    const firstPage = await client.get(`${PATH}?limit=5`)
    expect(firstPage.body).toMatchObject({ hasMore: true, totalCount: 10 })
    const secondPage = await client.get(`${PATH}?limit=5&cursor=${firstPage.body.nextCursor}`)
    const ids = [...firstPage.body.data, ...secondPage.body.data].map((account: Reply['body']) => account.id)
    expect(new Set(ids).size).toBe(10)
    const dollars = (await client.get(`${PATH}?currency=USD`)).body.data
    expect(dollars.map((account: Reply['body']) => account.id)).toEqual([
      secondCustomer.usd,
      firstCustomer.usd,
    ])
    expect((await client.get(`${PATH}?type=INTERNAL_CRYPTO`)).body.data).toHaveLength(2)
    const platformAccounts = await client.get('/platform/internal-accounts?currency=EUR&type=INTERNAL_FIAT')
    expect(platformAccounts.body.data).toHaveLength(1)
    const refusal = await client.get(`${PATH}?customerId=${firstCustomer.usd}`)
    expect(refusal).toMatchObject({ status: 400, body: { details: { field: 'customerId' } } })
  })
})

describe('deposit details', () => {
  test('of a platform match the contract in every currency, and never change', async () => {
    const client = await newPlatform()
    const codes = [...listCurrenciesOfKind('fiat'), ...listCurrenciesOfKind('crypto')].filter(
      (c) => c !== 'USDB',
    )
    const supportedCurrencies = codes.map((currencyCode) => ({
      currencyCode,
      minAmount: 0,
      maxAmount: 1,
      requiredCounterpartyFields: [],
      enabledTransactionTypes: [],
    }))
    await client.send('PATCH', '/config', { supportedCurrencies })
    await client.advance(0)
    // The test server checks every response against the contract.
    const { status, body } = await client.get('/platform/internal-accounts')
    expect(status).toBe(200)
    expect(body.data.map((account: Reply['body']) => account.balance.currency.code).sort()).toEqual(
      codes.sort(),
    )
    for (const { id, balance, fundingPaymentInstructions } of body.data) {
      const currency = balance.currency.code
      const types = listFundingTypes(currency).filter((type) => type !== 'LIGHTNING')
      expect(fundingPaymentInstructions).toEqual(
        types.map((type) => ({
          accountOrWalletInfo: depositDetails(
            sandboxDepositDetails,
            { seed: id, currency, reference: deriveFundingReference(id) },
            toNetwork(type),
          ),
          instructionsNotes: expect.stringContaining('Sandbox'),
          isPlatformAccount: true,
        })),
      )
      for (const instructions of fundingPaymentInstructions)
        expect(JSON.stringify(instructions)).toContain(deriveFundingReference(id))
    }
  })
})
