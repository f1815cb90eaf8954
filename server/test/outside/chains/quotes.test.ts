import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningBank, startBank } from '@countersign/connectors/example-bank/start'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../test/ports.testing.ts'
import { chainAbsent, type OnChain, openOnChain } from '../../worlds/chain/chain.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  accountOf,
  BANK_SECRET,
  exampleBank,
  numberOf,
  SECRET_NAME,
} from '../../worlds/production/production.testing.ts'
import { buildGermanIban } from '../../worlds/records/external-accounts.testing.ts'

const PAYEE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

let on: OnChain
let bank: RunningBank
let folder: string

describe.skipIf(chainAbsent)('a quote between a bank and a chain', () => {
  beforeAll(async () => {
    process.env[SECRET_NAME] = BANK_SECRET
    folder = await mkdtemp(join(tmpdir(), 'countersign-chain-bank-'))
    const port = await freePort()
    on = await openOnChain({
      entry: { confirmations: 1 },
      rails: [exampleBank(`http://127.0.0.1:${port}`)],
    })
    bank = await startBank({
      port,
      folder,
      secrets: BANK_SECRET,
      events: `${on.service.app.origin()}/rail-events/example-bank`,
      behaviour: { settleDelayMs: 20 },
    })
  })
  afterAll(async () => {
    await bank?.close()
    await on?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const addExternalAccount = async (currency: string, accountInfo: object): Promise<string> => {
    const { status, body } = await on.client.post('/platform/external-accounts', { currency, accountInfo })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.id
  }
  /** Executes a quote immediately, and waits until it has ended. */
  const pay = async (accountId: string, payeeId: string, amount: number) => {
    const { status, body } = await on.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId },
      destination: { destinationType: 'ACCOUNT', accountId: payeeId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
      immediatelyExecute: true,
    })
    if (status !== 201) throw new Error(JSON.stringify(body))
    const endedQuote = await until(
      async () => (await on.client.get(`/quotes/${body.id}`)).body,
      (quote) => quote.status !== 'PENDING' && quote.status !== 'PROCESSING',
    )
    const transaction = (await on.client.get(`/transactions/${body.transactionId}`)).body
    return { quote: endedQuote, transaction }
  }
  /** Reads the platform's position in a currency. */
  const readPosition = async (currency: string): Promise<bigint> => {
    const { data } = (await on.client.get('/positions')).body
    const found = data.find((position: { currency: { code: string } }) => position.currency.code === currency)
    return BigInt(found?.position ?? 0)
  }

  test('turns dollars at a bank into USDC, which the payee has on the chain', async () => {
    const account = await accountOf(on.client, undefined, 'USD')
    const paidIn = await fetch(`${bank.url}/bank/deposits`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ account: numberOf(account), amount: '1000000' }),
    })
    expect(paidIn.ok).toBe(true)
    await until(
      () => accountOf(on.client, undefined, 'USD'),
      ({ balance }) => balance.amount === 1_000_000,
    )
    const wallet = await addExternalAccount('USDC', { accountType: 'BASE_WALLET', address: PAYEE })
    const before = await readPosition('USDC')
    const { quote, transaction } = await pay(account.id, wallet, 100_000)
    expect(quote.status).toBe('COMPLETED')
    // 0.10 USD, half a percent, and the network fee.
    expect(quote.feesIncluded).toBeGreaterThan(10 + 500)
    expect(quote.totalReceivingAmount).toBe((100_000 - quote.feesIncluded) * 10_000)
    expect(await on.chain.balanceOf(on.chain.token, PAYEE)).toBe(BigInt(quote.totalReceivingAmount))
    const { transactionHash } = transaction.reconciliationInstructions
    expect(await on.chain.rpc('eth_getTransactionReceipt', [transactionHash])).toMatchObject({
      status: '0x1',
    })
    expect((await readPosition('USDC')) - before).toBe(-BigInt(quote.totalReceivingAmount))
  })

  test('turns USDC of an account into euros at a bank without a network fee', async () => {
    const account = await accountOf(on.client, undefined, 'USDC')
    const { address } = account.fundingPaymentInstructions[0].accountOrWalletInfo
    const balanceBefore = account.balance.amount
    await on.chain.mint(address, 50_000_000n)
    await until(
      () => accountOf(on.client, undefined, 'USDC'),
      ({ balance }) => balance.amount >= balanceBefore + 50_000_000,
    )
    const euros = await addExternalAccount('EUR', {
      accountType: 'EUR_ACCOUNT',
      iban: buildGermanIban('000'),
      beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Acme' },
    })
    const before = await readPosition('EUR')
    const { quote } = await pay(account.id, euros, 50_000_000)
    expect(quote.status).toBe('COMPLETED')
    // 0.10 USD, half a percent, and the remainder that is less than a cent.
    expect(quote.feesIncluded - 100_000 - 250_000).toBeLessThan(12_500)
    expect(quote.totalReceivingAmount).toBe(Math.floor((50_000_000 - 350_000) / 12_500))
    expect((await readPosition('EUR')) - before).toBe(-BigInt(quote.totalReceivingAmount))
  })
})
