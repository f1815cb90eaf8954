import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveAuthorizationNonce } from '../../../src/base/crypto/evm/authorization.ts'
import { WALLET_PATH } from '../../../src/base/crypto/evm/keys.ts'
import type { Hex } from '../../../src/base/formats/hex.ts'
import { buildAddressRow } from '../../../src/outside/chains/address-rows.ts'
import { buildChainPayment } from '../../../src/outside/chains/queue.ts'
import { operate } from '../../../src/people/platforms/operate.ts'
import { insert } from '../../../src/storage/commit/writes.ts'
import type { ChainPaymentRow } from '../../../src/storage/rows/chain.ts'
import {
  buildEvmEntry,
  CONFIRMATIONS,
  chainAbsent,
  type OnChain,
  openOnChain,
} from '../../worlds/chain/chain.testing.ts'
import { Payer } from '../../worlds/chain/payer.testing.ts'
import { until } from '../../worlds/client.testing.ts'

const WALLET = 3
const FEE = 50n

let on: OnChain
let payer: Payer

describe.skipIf(chainAbsent)('a payment signed by the holder of a wallet', () => {
  beforeAll(async () => {
    on = await openOnChain()
    await on.setRail(buildEvmEntry(on.chain, { multicall: on.chain.multicall }))
    await on.chain.mint(findWalletAddress(), 1_000_000n)
    await on.chain.setAutomine(false)
    payer = await Payer.open(on)
    const op = await operate(on.service.app, on.client.credentials.platformId)
    // The server already opens a deposit address for the account. Another purpose gives this row another id.
    const row = buildAddressRow(on.rail().name, op, {
      ...{ purpose: 'signed payments', address: findWalletAddress(), role: 'WALLET', path: WALLET_PATH },
      ownerId: payer.account(true),
    })
    expect(await on.service.app.commit(op, [insert('chain_addresses', row)])).toMatchObject({ done: true })
  })
  afterAll(() => on?.close())

  const findWalletAddress = () => on.chain.account(WALLET).address.toLowerCase() as Hex
  const readBalance = (account: Hex) => on.chain.balanceOf(on.chain.token, account)

  /** Signs a transfer with viem, as EIP-3009 typed data. */
  function signTransfer(to: Hex, value: bigint, nonce: Hex, validBefore: bigint): Promise<Hex> {
    const { name, version } = on.rail().chain.token('USDC').domain!
    return on.chain.account(WALLET).signTypedData({
      domain: { name, version, chainId: on.chain.chainId, verifyingContract: on.chain.token },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'TransferWithAuthorization',
      message: { from: findWalletAddress(), to, value, validAfter: 0n, validBefore, nonce },
    })
  }

  /** Queues a signed transfer with a fee. It belongs to no payment, so it causes no notification. */
  async function queuePayment(recipient: Hex, amount: bigint, seconds = 3600n): Promise<string> {
    const { app } = on.service
    const op = await operate(app, on.client.credentials.platformId)
    const id = op.newId('ChainRecord')
    const validBefore = (await on.chain.block()).timestamp + seconds
    const { treasury } = on.rail().chain
    const sender = await app.read
      .selectFrom('chain_addresses')
      .where('address', '=', findWalletAddress())
      .select('id')
      .executeTakeFirstOrThrow()
    const row = buildChainPayment(on.rail(), {
      id,
      platformId: op.platform.id,
      kind: 'SWEEP',
      paymentId: id,
      currency: 'USDC',
      amount,
      recipient,
      signed: {
        senderId: sender.id,
        sender: findWalletAddress(),
        validBefore,
        signature: await signTransfer(
          recipient,
          amount,
          deriveAuthorizationNonce('payment', id),
          validBefore,
        ),
        fee: {
          amount: FEE,
          recipient: treasury,
          signature: await signTransfer(treasury, FEE, deriveAuthorizationNonce('fee', id), validBefore),
        },
      },
      now: op.now,
    })
    expect(await app.commit(op, [insert('chain_payments', row)])).toMatchObject({ done: true })
    return id
  }

  const waitForEnd = (id: string) => payer.payment(id, ({ state }) => state === 'PAID' || state === 'FAILED')

  test('is sent with its fee in one transaction, with unchanged signatures', async () => {
    const [payee, treasury] = [payer.newPayee().toLowerCase() as Hex, on.rail().chain.treasury]
    const before = await readBalance(treasury)
    const id = await queuePayment(payee, 1000n)
    const [row] = await payer.sent([id])
    expect(row!.recipient).toBe(on.chain.multicall.toLowerCase())
    await on.chain.mine(CONFIRMATIONS)
    expect(await waitForEnd(id)).toMatchObject({ state: 'PAID', transaction_hash: row!.attempts[0]!.hash })
    expect(await readBalance(payee)).toBe(1000n)
    expect(await readBalance(treasury)).toBe(before + FEE)
  })

  test('still pays its fee if another relayer sent only the payment', async () => {
    const [payee, treasury] = [payer.newPayee().toLowerCase() as Hex, on.rail().chain.treasury]
    const before = await readBalance(treasury)
    const id = await queuePayment(payee, 2000n)
    await payer.sent([id])
    const payment = (await payer.paymentOf(id))!
    const relayedHash = await payer.relayFrom(1, payment)
    await on.chain.mine(CONFIRMATIONS)
    await until(
      () => payer.transactionsOf(id),
      (rows) => rows.length === 2,
      60,
    )
    await payer.sent([id])
    await on.chain.mine(CONFIRMATIONS)
    expect(await waitForEnd(id)).toMatchObject({ state: 'PAID', transaction_hash: relayedHash })
    expect(await readBalance(payee)).toBe(2000n)
    expect(await readBalance(treasury)).toBe(before + FEE)
  })

  test('fails if the wallet can no longer pay it, and nothing is sent', async () => {
    const balance = await readBalance(findWalletAddress())
    const id = await queuePayment(payer.newPayee().toLowerCase() as Hex, balance)
    expect(await waitForEnd(id)).toMatchObject({
      state: 'FAILED',
      attempts: 0,
    } satisfies Partial<ChainPaymentRow>)
  })

  test('fails if it expires before it is sent, because the server cannot sign it again', async () => {
    const id = await queuePayment(payer.newPayee().toLowerCase() as Hex, 10n, 5n)
    expect(await waitForEnd(id)).toMatchObject({ state: 'FAILED', attempts: 0 })
  })
})
