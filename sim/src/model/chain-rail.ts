import { authorizationNonce } from '../../../server/src/base/crypto/evm/authorization.ts'
import { toChecksumAddress } from '../../../server/src/base/formats/addresses.ts'
import { type Hex, lowerHex } from '../../../server/src/base/formats/hex.ts'
import type { ChainWorld } from '../world/chain/chain-world.ts'
import type { Transfer } from '../world/chain/token.ts'
import type { Body } from '../world/servers.ts'
import { type Backend, must } from './clients.ts'
import { type Account, COMPLETES, FAILS, type Model, type Payment, Wrong } from './model.ts'
import type { Rail } from './rail.ts'
import { TURNS_MAX } from './rails.ts'
import { type Terms, WalletOwners } from './wallets.ts'

/** The maximum validity of a payment's signature. */
const SIGNED_SECONDS = 2 * 60 * 60
const OPEN_DEPOSITS: ReadonlySet<string> = new Set(['PENDING', 'RETURNING'])

/** A chain with wallets whose owners hold their keys. Its blocks show which payments were made. */
export function chainRail(backend: Backend, world: ChainWorld, needsDecision: boolean): Rail {
  const { machine } = backend
  const { chain, habits } = world
  const owners = new WalletOwners(backend, world, (account) => findAddress(backend, account))
  let hasRested = false
  const rail: Rail = {
    currencies: ['USDC'],
    accountType: 'INTERNAL_CRYPTO',
    canPull: false,
    hasWallets: true,
    ways: [owners.pay, owners.pay, owners.pay, owners.pay, owners.pay, owners.pay],
    elsewhere: (suffix) => ({
      accountType: 'BASE_WALLET',
      address: toChecksumAddress(payeeAt(suffix).slice(2)),
    }),
    suffixes: ['one', 'two'],
    endings: { transferOut: {}, transferIn: {}, payout: {}, pull: {} },
    async prepare() {
      must(await backend.again('PATCH', '/config', { embeddedWalletConfig: { network: 'BASE' } }), 200)
    },
    async payIn(account, amount) {
      return world.payIn(await findAddress(backend, account), BigInt(amount))
    },
    async advanceTime(seconds) {
      machine.clock.offsetMs += seconds * 1_000
      await machine.pause((habits.confirmations + 3) * habits.blockMs)
    },
    async checkDeposits() {
      const counted = sumDeposits(await listDeposits(backend))
      const received = world.sumReceived()
      if (counted > received)
        throw new Wrong(`${counted} came in by the books, and the chain has ${received}`)
    },
    async findOpenWork(model) {
      await owners.nameSpends()
      const deposits = await listDeposits(backend)
      const open = deposits.filter(({ status }) => OPEN_DEPOSITS.has(status))
      if (open.length > 0) return `Deposits stay open: ${JSON.stringify(open)}`
      const wrong = findDifference(model, chain.transfers(), { world, owners, needsDecision, isFinal: false })
      if (wrong !== undefined || !owners.haveSpent || hasRested) return wrong
      // Owners' own spends are taken from their wallets only once the payments that lacked the money have
      // failed.
      hasRested = true
      return 'Wallets may owe what their owners have spent'
    },
    async checkFinalState(model) {
      await rail.checkDeposits()
      await rail.advanceTime(SIGNED_SECONDS)
      const wrong = findDifference(model, chain.transfers(), { world, owners, needsDecision, isFinal: true })
      if (wrong !== undefined) throw new Wrong(wrong)
      const counted = sumDeposits(await listDeposits(backend))
      const received = world.sumReceived()
      if (counted !== received)
        throw new Wrong(`The chain has ${received} paid in, and ${counted} are deposits`)
    },
  }
  return rail
}

interface Sides {
  readonly world: ChainWorld
  readonly owners: WalletOwners
  readonly needsDecision: boolean
  /** True once the server has reported final states; the chain must then match all of them. */
  readonly isFinal: boolean
}

/**
 * Compares the chain's transfers with the payments. A payment was made if the chain has exactly its transfer,
 * with its nonce. The server's money leaves only through payments, and a stranger's deposit stays, or is
 * returned once.
 */
function findDifference(
  { payments }: Model,
  transfers: readonly Transfer[],
  { world, owners, needsDecision, isFinal }: Sides,
): string | undefined {
  const known = new Set<Transfer>()
  for (const payment of payments) {
    const { depositId, transactionId, what, state } = payment
    const terms = owners.termsOf(payment) ?? findTerms(payment, world.treasury)
    const found =
      depositId !== undefined
        ? transfers.filter(({ to }) => to === depositId)
        : terms && transactionId !== undefined
          ? transfers.filter((one) => isTransferOf(one, terms, transactionId))
          : []
    for (const one of found) known.add(one)
    if (found.length > 1) return `${what} is on the chain ${found.length} times`
    const isMade = found.length === 1
    if (depositId !== undefined) {
      const [refund] = found
      if (refund && (!needsDecision || refund.from !== world.treasury || refund.value !== payment.received))
        return `${what} was paid back: ${describeTransfer(refund)}`
      if (refund) payment.ending = FAILS
    } else if (terms && state === 'acknowledged') {
      const ending = isMade ? COMPLETES : FAILS
      if (isFinal && ending.status !== payment.ending.status)
        return `${what} (${transactionId}) ended as ${payment.ending.status}: on the chain it is ${describeTransfer(found[0])}`
      payment.ending = ending
    } else if (terms && isMade) return `${what} is ${state}, and the chain has ${describeTransfer(found[0])}`
  }
  const unknown = transfers.find(
    (one) => one.from === world.treasury && !known.has(one) && !owners.isWallet(one.to),
  )
  return unknown && `Money has left the treasury for no payment: ${describeTransfer(unknown)}`
}

/** The transfer that a payment makes from an internal account. */
function findTerms({ payee, received }: Payment, treasury: Hex): Terms | undefined {
  return payee === undefined ? undefined : { from: treasury, to: payeeAt(payee), value: received }
}

function isTransferOf(one: Transfer, { from, to, value }: Terms, transactionId: string): boolean {
  const nonce = authorizationNonce('payment', transactionId)
  return one.nonce === nonce && one.from === from && one.to === to && one.value === value
}

/** The chain address of an external account. */
export function payeeAt(suffix: string): Hex {
  const digits = Buffer.from(`payee ${suffix}`).toString('hex')
  return `0x${digits.padStart(38, 'b').slice(-38)}aa`
}

const describeTransfer = (transfer: Transfer | undefined): string =>
  transfer ? JSON.stringify({ ...transfer, value: String(transfer.value) }) : 'not there'

async function listDeposits(backend: Backend): Promise<Body[]> {
  return must(await backend.get('/deposits?limit=100'), 200).data
}

function sumDeposits(deposits: readonly Body[]): bigint {
  return deposits.reduce((sum, { amount }) => sum + BigInt(amount.amount), 0n)
}

/** An account's address, once the chain has been reached. */
async function findAddress(backend: Backend, { id, customerId }: Account): Promise<Hex> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const own = must(await backend.get(`/customers/internal-accounts?customerId=${customerId}`), 200).data
    const { fundingPaymentInstructions } = own.find((account: Body) => account.id === id)
    const address = fundingPaymentInstructions?.[0]?.accountOrWalletInfo?.address
    if (address) return lowerHex(address)
    await backend.machine.pause(1_000)
  }
  throw new Wrong(`${id} has no address on the chain`)
}
