import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalChain } from '../../../../contracts/local-chain.ts'
import { recordDeposit } from '../../../src/money/deposits/deposits.ts'
import { operate } from '../../../src/people/platforms/operate.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { chainAbsent, type OnChain, openChain, openOnChain } from '../../worlds/chain/chain.testing.ts'
import { Holder, newAddress, ok, payloadOf } from '../../worlds/chain/holder.testing.ts'
import { signIn, until } from '../../worlds/client.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

let chain: LocalChain
let on: OnChain

/** The wallets of a platform, whose balances must equal the balances of their addresses. */
const wallets: Holder[] = []
async function newHolder(amount = 0n): Promise<Holder> {
  const holder = await Holder.open(on, amount)
  wallets.push(holder)
  return holder
}

const MILLION = 1_000_000n

describe.skipIf(chainAbsent)('embedded wallets on a chain', () => {
  beforeAll(async () => {
    chain = await openChain()
    on = await openOnChain({ mode: 'sandbox', chain, entry: { multicall: chain.multicall } })
    ok(await on.client.send('PATCH', '/config', { embeddedWalletConfig: { network: 'BASE' } }))
  })
  afterAll(async () => {
    await on?.close()
    await chain?.close()
  })

  test('are created only on a chain that has a rail', async () => {
    const setNetwork = (network: string) =>
      on.client.send('PATCH', '/config', { embeddedWalletConfig: { network } })
    expect(await setNetwork('POLYGON')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', details: { field: 'embeddedWalletConfig.network' } },
    })
    expect((await setNetwork('SPARK')).body.embeddedWalletConfig.network).toBe('SPARK')
    const email = 'spark@example.com'
    const sparkCustomer = ok(
      await on.client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email }),
    )
    ok(await setNetwork('BASE'))
    // A wallet stays on the network where it was created.
    const { data } = ok(
      await on.client.get(`/customers/internal-accounts?customerId=${sparkCustomer.id}&type=EMBEDDED_WALLET`),
    )
    expect(data[0]).toMatchObject({
      balance: { currency: { code: 'USDB' } },
      fundingPaymentInstructions: [{ accountOrWalletInfo: { accountType: 'SPARK_WALLET' } }],
    })
  })

  test("ignore another rail's reports about their address", async () => {
    const ada = await newHolder()
    const { app } = on.service
    const op = await operate(app, (await app.rails.ownerOf(on.rail()))!)
    const recordDepositBy = async (rail: string) => {
      const deposit = {
        depositId: 'D-1',
        depositAccountId: ada.address,
        amount: { value: '1', currency: 'USDC' },
        receivedAt: op.now.toISOString(),
      }
      return (await recordDeposit(op, rail, deposit, 1n, ada.walletId)).row
    }
    expect(await recordDepositBy('base')).toMatchObject({ state: 'CREDITED', account_id: ada.walletId })
    expect(await recordDepositBy('polygon')).toMatchObject({ state: 'SUSPENSE', reason: 'OTHER_RAIL' })
  })

  test('have the address of their seed, whose exported words open them elsewhere', async () => {
    const ada = await newHolder(5n * MILLION)
    const key = mnemonicToAccount(await ada.wallet.export(ada.session))
    expect(ada.address).toBe(key.address)
    expect((await ada.account()).fundingPaymentInstructions).toEqual([
      {
        accountOrWalletInfo: { accountType: 'BASE_WALLET', assetType: 'USDC', address: key.address },
        instructionsNotes: 'All money received at this address is credited to this wallet.',
        isPlatformAccount: false,
      },
    ])
    const to = newAddress()
    const hash = await ada.payElsewhere(key, to, 2n * MILLION)
    await ada.seen((total) => total === 3n * MILLION)
    expect(await on.chain.balanceOf(on.chain.token, to)).toBe(2n * MILLION)
    const { data } = ok(await on.client.get(`/transactions?customerId=${ada.customerId}&type=OUTGOING`))
    expect(data).toEqual([
      expect.objectContaining({
        status: 'COMPLETED',
        source: { sourceType: 'ACCOUNT', accountId: ada.walletId, currency: 'USDC' },
        destination: { destinationType: 'CHAIN_ADDRESS', address: to, currency: 'USDC' },
        sentAmount: expect.objectContaining({ amount: 2_000_000 }),
        description: 'Paid with the key of the wallet, without this server',
        reconciliationInstructions: expect.objectContaining({ transactionHash: hash }),
      }),
    ])
    const events = await on.client.events(`&objectId=${data[0].id}`)
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['OUTGOING_PAYMENT.COMPLETED'])
  })

  test('pay an address on the chain with two transfers that their key signs and the payload names', async () => {
    const ada = await newHolder(30n * MILLION)
    const to = newAddress()
    const quote = await ada.quote(await ada.addPayee(to), 25n * MILLION)
    const payload = JSON.parse(payloadOf(quote))
    const fees = BigInt(quote.feesIncluded)
    const { treasury } = on.rail().chain
    expect(payload.chain).toMatchObject({
      network: 'BASE',
      chainId: on.chain.chainId,
      token: { currency: 'USDC', address: on.chain.token, name: 'Test Dollar', version: '2' },
      from: ada.address,
      transfers: [
        { purpose: 'PAYMENT', to, amount: 25_000_000 },
        { purpose: 'FEE', amount: Number(fees) },
      ],
    })
    expect(payload.summary).toMatch(
      new RegExp(`^Pay 25.000000 USDC on Base to ${to}, and [0-9.]+ USDC as the fee$`),
    )
    const before = await on.chain.balanceOf(on.chain.token, treasury)
    ok(await ada.execute(quote))
    expect(await ada.available()).toBe(30n * MILLION - 25n * MILLION - fees)
    const done = await ada.ended(quote.transactionId)
    expect(done).toMatchObject({
      status: 'COMPLETED',
      reconciliationInstructions: { transactionHash: expect.stringMatching(/^0x/) },
    })
    expect(await on.chain.balanceOf(on.chain.token, to)).toBe(25n * MILLION)
    expect(await on.chain.balanceOf(on.chain.token, treasury)).toBe(before + fees)
    expect(await ada.onChain()).toBe(await ada.total())
  })

  test('pay each other over the chain, with a transaction record for the payee', async () => {
    const [ada, bob] = [await newHolder(10n * MILLION), await newHolder()]
    const done = await ada.pay(bob.walletId, 4n * MILLION)
    expect(done.status).toBe('COMPLETED')
    expect([await bob.total(), await bob.onChain()]).toEqual([4n * MILLION, 4n * MILLION])
    const { data } = ok(await on.client.get(`/transactions?customerId=${bob.customerId}&type=INCOMING`))
    expect(data).toEqual([
      expect.objectContaining({
        status: 'COMPLETED',
        source: { sourceType: 'ACCOUNT', accountId: ada.walletId, currency: 'USDC' },
      }),
    ])
  })

  test('pay an internal account once their money has reached the treasury', async () => {
    const ada = await newHolder(10n * MILLION)
    const quote = await ada.quote(ada.custodialId, 4n * MILLION)
    const { chain, summary } = JSON.parse(payloadOf(quote))
    const { treasury } = on.rail().chain
    expect(chain.transfers).toEqual([
      expect.objectContaining({ purpose: 'PAYMENT', amount: Number(quote.totalSendingAmount) }),
    ])
    expect(chain.transfers[0].to.toLowerCase()).toBe(treasury)
    expect(summary).toContain('USDC on Base to this server at 0x')
    const before = await on.chain.balanceOf(on.chain.token, treasury)
    ok(await ada.execute(quote))
    expect((await ada.ended(quote.transactionId)).status).toBe('COMPLETED')
    expect(await on.chain.balanceOf(on.chain.token, treasury)).toBe(before + BigInt(quote.totalSendingAmount))
    expect(await readCustodialBalance(ada)).toBe(4n * MILLION)
    expect(await ada.onChain()).toBe(await ada.total())
  })

  test('pay a bank, and get a rejected payment back over the chain', async () => {
    const ada = await newHolder(10n * MILLION)
    expect((await ada.pay(await addBankAccount(ada), 300n)).status).toBe('COMPLETED')
    const balance = await ada.total()
    expect(await ada.onChain()).toBe(balance)
    // The bank returns one payment, and the other is never sent.
    for (const suffix of ['004', '002']) {
      const failed = await ada.pay(await addBankAccount(ada, suffix), 200n)
      expect(failed).toMatchObject({ status: 'FAILED', refund: { status: 'COMPLETED' } })
      expect([await ada.total(), await ada.onChain()]).toEqual([balance, balance])
    }
  })

  test('are paid over the chain out of the treasury', async () => {
    const [ada, bob] = [await newHolder(10n * MILLION), await newHolder()]
    await ada.pay(ada.custodialId, 6n * MILLION)
    const quote = await ada.quote(bob.walletId, 2n * MILLION, ada.custodialId)
    ok(await on.client.post(`/quotes/${quote.id}/execute`))
    expect(await ada.ended(quote.transactionId)).toMatchObject({
      status: 'COMPLETED',
      reconciliationInstructions: { transactionHash: expect.stringMatching(/^0x/) },
    })
    expect([await bob.total(), await bob.onChain()]).toEqual([2n * MILLION, 2n * MILLION])
  })

  test('fail a payment in progress if their key empties them, and the books equal the chain', async () => {
    const ada = await newHolder(10n * MILLION)
    const key = mnemonicToAccount(await ada.wallet.export(ada.session))
    const quote = await ada.quote(await ada.addPayee(), 6n * MILLION)
    await chain.setAutomine(false)
    ok(await ada.execute(quote))
    await until(
      () => findPayment(quote.transactionId),
      (row) => row?.state === 'SENT',
    )
    // This transfer precedes the payment in the next block.
    await ada.payElsewhere(key, newAddress(), 9n * MILLION)
    await chain.setAutomine(true)
    await ada.seen((total) => total < 10n * MILLION)
    const { data } = ok(await on.client.get(`/transactions?customerId=${ada.customerId}&type=OUTGOING`))
    const ownPayment = data.find((payment: { quoteId?: string }) => payment.quoteId === undefined)
    const missing = 9n * MILLION - (10n * MILLION - BigInt(quote.totalSendingAmount))
    expect(ownPayment.counterpartyInformation).toEqual({ shortfall: String(missing) })
    // Expires the signed transfer: within its hour, the payment could still be made.
    await on.service.app.db.query('UPDATE chain_payments SET valid_before = 1 WHERE id = $1', [
      extractUuid((await findPayment(quote.transactionId))!.id),
    ])
    expect((await ada.ended(quote.transactionId)).status).toBe('FAILED')
    await on.client.advance(2 * 60)
    await ada.seen((total) => total === MILLION)
    expect([await ada.available(), await ada.onChain()]).toEqual([MILLION, MILLION])
  })

  test('pay only with a stamp of their own session over the exact payload, and only once', async () => {
    const [ada, bob] = [await newHolder(10n * MILLION), await newHolder(10n * MILLION)]
    const [adaQuote, bobQuote] = [
      await ada.quote(bob.walletId, MILLION),
      await bob.quote(ada.walletId, MILLION),
    ]
    const stamp = await ada.session.approveQuote(adaQuote)
    const session = await signIn(on.client, bob.walletId)
    const unauthorized = { status: 401 }
    expect(await on.client.post(`/quotes/${adaQuote.id}/execute`)).toMatchObject({ status: 202 })
    expect(await ada.executeWith(adaQuote, 'sandbox-valid-signature')).toMatchObject(unauthorized)
    expect(await ada.executeWith(adaQuote, session.stamp(payloadOf(adaQuote)))).toMatchObject(unauthorized)
    expect(await ada.executeWith(adaQuote, await bob.session.approveQuote(bobQuote))).toMatchObject(
      unauthorized,
    )
    expect(await bob.executeWith(bobQuote, stamp)).toMatchObject(unauthorized)
    ok(await ada.executeWith(adaQuote, stamp))
    expect(await ada.executeWith(adaQuote, stamp)).toMatchObject(unauthorized)
    expect((await ada.ended(adaQuote.transactionId)).status).toBe('COMPLETED')
    expect(await bob.onChain()).toBe(11n * MILLION)
  })

  test('pay what an agent proposes only with the stamp of their holder, whoever approves', async () => {
    const ada = await newHolder(10n * MILLION)
    const spendingLimits = { currency: 'USDC', perTransactionLimit: 5_000_000 }
    const agent = await newAgent(on.client, ada.customerId, {
      defaultExecutionMode: 'APPROVAL_REQUIRED',
      spendingLimits,
    })
    const device = await signIn(on.client, ada.walletId)
    const to = newAddress()
    const quote = ok(
      await agent.post('/agents/me/quotes', {
        source: { sourceType: 'ACCOUNT', accountId: ada.walletId },
        destination: { destinationType: 'ACCOUNT', accountId: await ada.addPayee(to) },
        lockedCurrencySide: 'RECEIVING',
        lockedCurrencyAmount: 1_000_000,
      }),
    )
    // The agent sends the stamp, and the platform approves later without one.
    const { payloadToSign } = quote.paymentInstructions[0].accountOrWalletInfo
    const execute = `/agents/me/quotes/${quote.id}/execute`
    const magic = { 'Svc-Wallet-Signature': 'sandbox-valid-signature' }
    expect(await agent.post(execute, undefined, magic)).toMatchObject({ status: 401 })
    const stamped = { 'Svc-Wallet-Signature': device.stamp(payloadToSign) }
    const action = ok(await agent.post(execute, undefined, stamped))
    expect(action.status).toBe('PENDING_APPROVAL')
    ok(await on.client.post(`/agents/${agent.id}/actions/${action.id}/approve`))
    expect((await ada.ended(quote.transactionId)).status).toBe('COMPLETED')
    expect(await chain.balanceOf(chain.token, to)).toBe(MILLION)
  })

  test('receive and send money only over the chain', async () => {
    const ada = await newHolder(10n * MILLION)
    expect(
      await on.client.post('/transfer-in', {
        source: { accountId: await ada.addPayee() },
        destination: { accountId: ada.walletId },
        amount: 1,
      }),
    ).toMatchObject({ status: 400, body: { details: { field: 'destination.accountId' } } })
    expect(
      await on.client.post('/transfer-out', {
        source: { accountId: ada.walletId },
        destination: { accountId: await ada.addPayee() },
        amount: 1,
      }),
    ).toMatchObject({ status: 400, body: { details: { field: 'source.accountId' } } })
    expect(
      await on.client.post('/cards', {
        cardholderId: ada.customerId,
        form: 'VIRTUAL',
        fundingSources: [ada.walletId],
      }),
    ).toMatchObject({
      status: 400,
      body: { code: 'FUNDING_SOURCE_INELIGIBLE', details: { field: 'fundingSources.0' } },
    })
  })

  test('each have the same balance in the books as on the chain', async () => {
    for (const wallet of wallets) await wallet.seen((total) => total >= 0n)
    const [books, chain] = await Promise.all([
      Promise.all(wallets.map((wallet) => wallet.total())),
      Promise.all(wallets.map((wallet) => wallet.onChain())),
    ])
    expect(books).toEqual(chain)
    expect(books.length).toBeGreaterThan(8)
  })
})

function findPayment(transactionId: string) {
  const { read } = on.service.app
  return read
    .selectFrom('chain_payments')
    .where('payment_id', '=', transactionId)
    .selectAll()
    .executeTakeFirst()
}

async function readCustodialBalance(holder: Holder): Promise<bigint> {
  const path = `/customers/internal-accounts?customerId=${holder.customerId}&type=INTERNAL_CRYPTO&currency=USDC`
  return BigInt(ok(await on.client.get(path)).data[0].balance.amount)
}

/** Adds a bank account of a customer, whose suffix controls the sandbox outcome. */
async function addBankAccount({ customerId }: Holder, suffix = '789'): Promise<string> {
  const reply = await on.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `123456${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  return ok(reply).id
}
