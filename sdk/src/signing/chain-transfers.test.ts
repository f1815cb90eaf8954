import { describe, expect, test } from 'vitest'
import { DeviceKey } from '../wallet/device-key.ts'
import {
  ACCOUNT,
  backend,
  inMinutes,
  PAYEE,
  PAYMENT,
  QUOTE,
  type Sent,
} from '../wallet/hostile-backend.testing.ts'
import { Session } from '../wallet/session.ts'
import { type ChainTransfers, onChain, type WalletChain } from './chain-transfers.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { signed } from './signed-retry.ts'
import { membersOf, type Payment } from './statement.ts'

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PAYEE_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
const EVIL = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'
const TREASURY = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB'
const TOKEN = '0x52908400098527886E0F7030069857D2E4169EE7'
const KNOWN: WalletChain = { address: WALLET.toLowerCase(), chainId: 31_337, token: TOKEN.toLowerCase() }
const nonce = (digit: string) => `0x${digit.repeat(64)}`

const CHAIN: ChainTransfers = {
  network: 'BASE',
  chainId: 31_337,
  token: { currency: 'USDC', address: TOKEN, name: 'USD Coin', version: '2' },
  from: WALLET,
  validBefore: inMinutes(65),
  transfers: [
    { purpose: 'PAYMENT', to: PAYEE_ADDRESS, amount: 25_000_000n, nonce: nonce('1') },
    { purpose: 'FEE', to: TREASURY, amount: 50_000n, nonce: nonce('2') },
  ],
}
const [FIRST, FEE] = CHAIN.transfers as [ChainTransfers['transfers'][0], ChainTransfers['transfers'][0]]

/** To an address on the same chain. */
const STRAIGHT = {
  quote: QUOTE,
  sends: { amount: 25_050_000n, currency: 'USDC' },
  feesIncluded: 50_000n,
  delivers: { amount: 25_000_000n, currency: 'USDC' },
  destination: {
    destinationType: 'ACCOUNT',
    accountId: 'ExternalAccount:e',
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address: PAYEE_ADDRESS.toLowerCase() },
  },
  chain: CHAIN,
}
/** To another wallet here, and to a bank. */
const TO_WALLET = {
  ...STRAIGHT,
  destination: { destinationType: 'ACCOUNT', accountId: 'InternalAccount:b', currency: 'USDC' },
}
const TO_BANK = {
  ...STRAIGHT,
  delivers: PAYMENT.delivers,
  destination: PAYEE,
  chain: { ...CHAIN, transfers: [{ ...FIRST, to: TREASURY, amount: 25_050_000n }] },
}

const confirmedPayments: Payment[] = []
let calls: readonly string[] = []
/** Pays with a payload from a backend. */
async function pay(own: object, known?: WalletChain) {
  const { caller, signed: signatures } = backend((sent: Sent) => ({
    ...sent,
    payload: { ...sent.payload, ...own },
  }))
  calls = signatures
  const confirm = (payment: Payment) => confirmedPayments.push(payment) > 0
  const issued = { id: 'Session:s', accountId: ACCOUNT, expiresAt: inMinutes(15) }
  const session = Session.ofDeviceKey(
    caller,
    issued,
    await DeviceKey.generate(),
    known ? onChain(known, confirm) : confirm,
  )
  await signed(caller, 'quote_execute', { params: { quoteId: QUOTE } }, session)
  return signatures
}

describe('a payment of a wallet on a chain', () => {
  test.each([
    ['to an address', STRAIGHT],
    ['without a fee', withoutFee()],
    ['to another wallet', TO_WALLET],
    ['to a bank, collected first', TO_BANK],
  ])('%s is shown with its transfers and signed', async (_, own) => {
    confirmedPayments.length = 0
    expect(await pay(own, KNOWN)).toEqual(['quote_execute'])
    const [payment] = confirmedPayments
    expect(payment).toMatchObject({ chain: own.chain, sends: own.sends })
    const members = new Map(membersOf(payment!))
    expect(members.get('chain.transfers.0.to')).toBe(own.chain.transfers[0]!.to)
    expect(members.get('chain.token.address')).toBe(TOKEN)
  })

  const change = (own: { readonly chain: ChainTransfers }, chain: object) => ({
    ...own,
    chain: { ...own.chain, ...chain },
  })
  const transfers = (...ones: object[]) => ({ transfers: ones })
  test.each([
    ['another payee', change(STRAIGHT, transfers({ ...FIRST, to: EVIL }, FEE)), 'chain.transfers.0.to'],
    [
      'a larger payment',
      change(STRAIGHT, transfers({ ...FIRST, amount: 25_000_001n }, FEE)),
      'chain.transfers',
    ],
    [
      'a part of the payment as fee',
      change(STRAIGHT, transfers({ ...FIRST, amount: 1n }, { ...FEE, amount: 25_049_999n })),
      'chain.transfers.0.amount',
    ],
    [
      'a second payment beside it',
      change(STRAIGHT, transfers(FIRST, { ...FEE, purpose: 'PAYMENT', to: EVIL })),
      'chain.transfers',
    ],
    [
      'a third transfer',
      change(STRAIGHT, transfers(FIRST, FEE, { ...FEE, to: EVIL, nonce: nonce('3') })),
      'chain.transfers',
    ],
    ['no transfer', change(STRAIGHT, transfers()), 'chain.transfers'],
    ['only a fee', change(STRAIGHT, transfers({ ...FEE, amount: 25_050_000n })), 'chain.transfers'],
    [
      'one nonce twice',
      change(STRAIGHT, transfers(FIRST, { ...FEE, nonce: FIRST.nonce })),
      'chain.transfers.1.nonce',
    ],
    [
      'the whole amount collected in place of the payment',
      change(STRAIGHT, transfers({ ...FIRST, to: TREASURY, amount: 25_050_000n })),
      'chain.transfers.0.to',
    ],
    [
      'a fee that the quote does not have',
      change(TO_WALLET, transfers({ ...FIRST, amount: 24_000_000n }, { ...FEE, amount: 1_050_000n })),
      'chain.transfers.0.amount',
    ],
    [
      'a second transfer beside what is collected for a bank',
      {
        ...TO_BANK,
        chain: {
          ...CHAIN,
          transfers: [
            { ...FIRST, amount: 25_000_000n },
            { ...FEE, to: EVIL },
          ],
        },
      },
      'chain.transfers.1',
    ],
    [
      'the wallet as its own payee',
      change(TO_WALLET, transfers({ ...FIRST, to: WALLET }, FEE)),
      'chain.transfers.0.to',
    ],
    [
      'another currency',
      change(STRAIGHT, { token: { ...CHAIN.token, currency: 'EURC' } }),
      'chain.token.currency',
    ],
    ['a token that is not USDC on Base', change(STRAIGHT, { chainId: 8453 }), 'chain.token.address'],
    ['the chain of another network', change(STRAIGHT, { chainId: 1 }), 'chain.network'],
    [
      'a year to bring it to the chain',
      change(STRAIGHT, { validBefore: inMinutes(525_600) }),
      'chain.validBefore',
    ],
    ['a time that is over', change(STRAIGHT, { validBefore: inMinutes(-5) }), 'chain.validBefore'],
    ['a member that nobody sees', change(STRAIGHT, { alsoPays: EVIL }), 'chain.alsoPays'],
    ['no address', change(STRAIGHT, { from: '0x1' }), 'chain.from'],
  ])('is not signed with %s', async (_, own, member) => {
    await expectRefusal(pay(own), member)
  })

  test.each([
    ['another wallet', { from: EVIL }, 'chain.from'],
    ['another chain', { chainId: 31_338 }, 'chain.chainId'],
    ['another contract', { token: { ...CHAIN.token, address: EVIL } }, 'chain.token.address'],
  ])('is not shown for %s than the app knows', async (_, chain, member) => {
    confirmedPayments.length = 0
    await expectRefusal(pay(change(STRAIGHT, chain), KNOWN), member)
    expect(confirmedPayments).toEqual([])
    // A device that knows nothing of the chain shows it to the customer.
    expect(await pay(change(STRAIGHT, chain))).toEqual(['quote_execute'])
  })

  test('is not signed without transfers if the app knows that the wallet is on a chain', async () => {
    const { chain: _, ...without } = STRAIGHT
    await expectRefusal(pay(without, KNOWN), 'chain')
  })
})

function withoutFee() {
  return {
    ...STRAIGHT,
    sends: STRAIGHT.delivers,
    feesIncluded: 0n,
    chain: { ...CHAIN, transfers: [FIRST] },
  }
}

async function expectRefusal(call: Promise<unknown>, member: string): Promise<void> {
  const error = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PayloadMismatchError)
  expect((error as PayloadMismatchError).member).toBe(member)
  expect(calls).toEqual([])
}
