import { deriveAuthorizationNonce } from '../../../server/src/base/crypto/evm/authorization.ts'
import { toChecksumAddress } from '../../../server/src/base/formats/addresses.ts'
import { type Hex, toLowerHex } from '../../../server/src/base/formats/hex.ts'
import type { ChainWorld } from '../world/chain/chain-world.ts'
import type { Transfer } from '../world/chain/token.ts'
import type { Body } from '../world/servers.ts'
import { type Backend, expectStatus } from './clients.ts'
import { type Account, COMPLETES, FAILS, type Model, type Payment, Violation } from './model.ts'
import type { Rail } from './rail.ts'
import { ROUNDS_MAX } from './rails.ts'
import { type Terms, WalletOwners } from './wallets.ts'

/** The maximum validity of a payment's signature. */
const SIGNED_SECONDS = 2 * 60 * 60
const WALLET_CONFIG = { embeddedWalletConfig: { network: 'BASE' } }
const OPEN_DEPOSITS: ReadonlySet<string> = new Set(['PENDING', 'RETURNING'])

/**
 * Creates the rail of a chain with wallets whose owners hold their keys. The chain's blocks show which
 * payments were made.
 */
export function createChainRail(backend: Backend, world: ChainWorld, needsDecision: boolean): Rail {
  const { machine } = backend
  const { chain, behavior } = world
  const owners = new WalletOwners(backend, world, (account) => findAddress(backend, account))
  const scope = { world, owners, needsDecision }
  let hasWaitedForDebts = false
  const rail: Rail = {
    currencies: ['USDC'],
    accountType: 'INTERNAL_CRYPTO',
    canPull: false,
    hasWallets: true,
    ways: [owners.pay, owners.pay, owners.pay, owners.pay, owners.pay, owners.pay],
    externalAccountInfo: (suffix) => ({
      accountType: 'BASE_WALLET',
      address: toChecksumAddress(buildPayeeAddress(suffix).slice(2)),
    }),
    suffixes: ['one', 'two'],
    expectedOutcomes: { transferOut: {}, transferIn: {}, payout: {}, pull: {} },
    async prepare() {
      expectStatus(await backend.callRepeatable('PATCH', '/config', WALLET_CONFIG), 200)
    },
    async payIn(account, amount) {
      return world.payIn(await findAddress(backend, account), BigInt(amount))
    },
    async advanceTime(seconds) {
      machine.clock.offsetMs += seconds * 1_000
      await machine.pause((behavior.confirmations + 3) * behavior.blockMs)
    },
    async checkDeposits() {
      const counted = sumDeposits(await listDeposits(backend))
      const received = world.sumReceived()
      if (counted > received)
        throw new Violation(`The ledger has deposits of ${counted}, but the chain has ${received}`)
    },
    async findOpenWork(model) {
      await owners.updateSpends()
      const deposits = await listDeposits(backend)
      const open = deposits.filter(({ status }) => OPEN_DEPOSITS.has(status))
      if (open.length > 0) return `Deposits never settled: ${JSON.stringify(open)}`
      const wrong = findDifference(model, chain.listTransfers(), { ...scope, isFinal: false })
      if (wrong !== undefined || !owners.hasSpends || hasWaitedForDebts) return wrong
      // Money that an owner has spent directly is debited from the wallet only after the payments that lack
      // this money have failed.
      hasWaitedForDebts = true
      return 'Wallets may owe what their owners have spent'
    },
    async checkFinalState(model) {
      await rail.checkDeposits()
      await rail.advanceTime(SIGNED_SECONDS)
      const wrong = findDifference(model, chain.listTransfers(), { ...scope, isFinal: true })
      if (wrong !== undefined) throw new Violation(wrong)
      const counted = sumDeposits(await listDeposits(backend))
      const received = world.sumReceived()
      if (counted !== received)
        throw new Violation(`The chain has ${received} paid in, and ${counted} are deposits`)
    },
  }
  return rail
}

interface Comparison {
  readonly world: ChainWorld
  readonly owners: WalletOwners
  readonly needsDecision: boolean
  /** True once the server has reported final states. The chain must then match all of them. */
  readonly isFinal: boolean
}

/**
 * Compares the chain's transfers with the payments. A payment was made if the chain has exactly its transfer,
 * with its nonce. The server's money leaves only through payments, and a stranger's deposit stays or is
 * returned once.
 */
function findDifference(
  { payments }: Model,
  transfers: readonly Transfer[],
  { world, owners, needsDecision, isFinal }: Comparison,
): string | undefined {
  const known = new Set<Transfer>()
  for (const payment of payments) {
    const { depositId, transactionId, description, state } = payment
    const terms = owners.getTerms(payment) ?? findTerms(payment, world.treasury)
    const found =
      depositId !== undefined
        ? transfers.filter(({ to }) => to === depositId)
        : terms && transactionId !== undefined
          ? transfers.filter((transfer) => matchesTerms(transfer, terms, transactionId))
          : []
    for (const transfer of found) known.add(transfer)
    if (found.length > 1) return `${description} is on the chain ${found.length} times`
    const isMined = found.length === 1
    if (depositId !== undefined) {
      const [refund] = found
      if (refund && (!needsDecision || refund.from !== world.treasury || refund.value !== payment.received))
        return `${description} was paid back: ${describeTransfer(refund)}`
      if (refund) payment.expectedOutcome = FAILS
    } else if (terms && state === 'acknowledged') {
      const expectedOutcome = isMined ? COMPLETES : FAILS
      if (isFinal && expectedOutcome.status !== payment.expectedOutcome.status)
        return `${description} (${transactionId}) ended as ${payment.expectedOutcome.status}: on the chain it is ${describeTransfer(found[0])}`
      payment.expectedOutcome = expectedOutcome
    } else if (terms && isMined)
      return `${description} is ${state}, and the chain has ${describeTransfer(found[0])}`
  }
  const unknown = transfers.find(
    (transfer) => transfer.from === world.treasury && !known.has(transfer) && !owners.isWallet(transfer.to),
  )
  return unknown && `Money has left the treasury for no payment: ${describeTransfer(unknown)}`
}

/** The transfer that a payment makes from an internal account. */
function findTerms({ payee, received }: Payment, treasury: Hex): Terms | undefined {
  return payee === undefined ? undefined : { from: treasury, to: buildPayeeAddress(payee), value: received }
}

function matchesTerms(transfer: Transfer, { from, to, value }: Terms, transactionId: string): boolean {
  const nonce = deriveAuthorizationNonce('payment', transactionId)
  return transfer.nonce === nonce && transfer.from === from && transfer.to === to && transfer.value === value
}

/** The chain address of the external account with this suffix. */
export function buildPayeeAddress(suffix: string): Hex {
  const digits = Buffer.from(`payee ${suffix}`).toString('hex')
  return `0x${digits.padStart(38, 'b').slice(-38)}aa`
}

const describeTransfer = (transfer: Transfer | undefined): string =>
  transfer ? JSON.stringify({ ...transfer, value: String(transfer.value) }) : 'not there'

async function listDeposits(backend: Backend): Promise<Body[]> {
  return expectStatus(await backend.get('/deposits?limit=100'), 200).data
}

function sumDeposits(deposits: readonly Body[]): bigint {
  return deposits.reduce((sum, { amount }) => sum + BigInt(amount.amount), 0n)
}

/** Returns an account's address. Waits until the chain has been reached. */
async function findAddress(backend: Backend, { id, customerId }: Account): Promise<Hex> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const own = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    const { fundingPaymentInstructions } = own.find((account: Body) => account.id === id)
    const address = fundingPaymentInstructions?.[0]?.accountOrWalletInfo?.address
    if (address) return toLowerHex(address)
    await backend.machine.pause(1_000)
  }
  throw new Violation(`${id} has no address on the chain`)
}
