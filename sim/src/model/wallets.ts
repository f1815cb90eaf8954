import { seal } from '../../../server/src/base/crypto/hpke.ts'
import { generateKeyPair, type KeyPair, parsePublicKey } from '../../../server/src/base/crypto/p256.ts'
import { makeStamp } from '../../../server/src/base/crypto/stamp.ts'
import { type Hex, toLowerHex } from '../../../server/src/base/formats/hex.ts'
import type { Random } from '../machine/random.ts'
import type { ChainWorld } from '../world/chain/chain-world.ts'
import type { Body } from '../world/servers.ts'
import { type Backend, expectStatus } from './clients.ts'
import { type Account, COMPLETES, FAILS, type Payment, Violation } from './model.ts'
import { chooseAmount, readQuote, recordReply } from './payers.ts'
import type { Bank } from './rail.ts'

/** The transfer that a payment makes on the chain. */
export interface Terms {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
}

/** The code of every sign-in in the sandbox. */
const CODE = '000000'
const SIGN_INS_MAX = 8
/**
 * The time for which a session is used. It is valid for fifteen minutes, but the clock may jump ahead by ten.
 */
const SESSION_MS = 3 * 60_000
/** Longer than the lock of a wallet after too many requested codes. */
const RATE_MS = 60_000
const THIEF: Hex = `0x${'f'.repeat(38)}aa`

/** A transfer that a wallet's owner makes directly, with the nonce of one of the server's payments. */
interface Spend {
  readonly payment: Payment
  readonly hash: Hex
}

/** Wallet owners who pay through the API. Some also use their keys elsewhere. */
export class WalletOwners {
  readonly #backend: Backend
  readonly #world: ChainWorld
  readonly #findAddress: (account: Account) => Promise<Hex>
  readonly #terms = new Map<Payment, Terms>()
  readonly #wallets = new Set<Hex>()
  readonly #spends: Spend[] = []
  readonly #sessions = new Map<string, { readonly key: Promise<KeyPair>; readonly untilMs: number }>()

  constructor(backend: Backend, world: ChainWorld, findAddress: (account: Account) => Promise<Hex>) {
    this.#backend = backend
    this.#world = world
    this.#findAddress = findAddress
  }

  /** The transfer of a wallet's payment. Undefined for any other payment. */
  getTerms(payment: Payment): Terms | undefined {
    return this.#terms.get(payment)
  }

  get hasSpends(): boolean {
    return this.#spends.length > 0
  }

  isWallet(address: Hex): boolean {
    return this.#wallets.has(address)
  }

  /** Pays from a wallet to an external address or an internal account. */
  pay = async (bank: Bank, random: Random): Promise<void> => {
    const { model } = bank
    const backend = this.#backend
    const wallet = random.pick(bank.wallets)
    const payee = choosePayee(bank, random, wallet)
    const amount = chooseAmount(random)
    const description = `quote of ${amount} from the wallet ${wallet.id} to ${payee.id}`
    const key = await this.#getSessionKey(wallet)
    const to = model.accounts.has(payee.id) ? payee.id : undefined
    const recorded = model.recordRequest(
      { description, from: wallet.id, to, expectedOutcome: FAILS },
      BigInt(amount),
    )
    const reply = await backend.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: wallet.id },
      destination: { destinationType: 'ACCOUNT', accountId: payee.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
    })
    const amounts = () => readQuote(reply, { description, side: 'SENDING', amount })
    if (reply.status !== 201) {
      recordReply(bank, recorded, reply, amounts)
      return
    }
    const { id, sent, received } = amounts()
    Object.assign(recorded, { sent, received, transactionId: id })
    const payload: string = reply.body.paymentInstructions[0].accountOrWalletInfo.payloadToSign
    const { requestId, chain } = JSON.parse(payload)
    const misuse = await this.#recordTransfer(bank, random, wallet, recorded, chain.transfers[0])
    const isBefore = random.chance(0.5)
    if (isBefore) misuse?.()
    await backend.machine.pause(backend.machine.randomDuration(1_000))
    const executed = await backend.post(`/quotes/${reply.body.id}/execute`, undefined, {
      'Svc-Wallet-Signature': makeStamp(key, payload),
      'Request-Id': requestId,
    })
    // The quote, its signature or the session may have expired in the meantime.
    if (executed.status === 401 || (executed.status === 400 && executed.body.code === 'QUOTE_EXPIRED')) {
      recorded.state = 'unused'
      return
    }
    recordReply(bank, recorded, executed, () => ({ id, sent, received }))
    if (isBefore) return
    await backend.machine.pause(backend.machine.randomDuration(4_000))
    misuse?.()
  }

  /**
   * Records the transfer that a payment is expected to make on the chain. Returns a function that lets the
   * owner misuse the payment's nonce, or undefined if the owner behaves.
   */
  async #recordTransfer(
    bank: Bank,
    random: Random,
    wallet: Account,
    recorded: Payment,
    transfer: Body,
  ): Promise<(() => void) | undefined> {
    const [nonce, value] = [toLowerHex(transfer.nonce), BigInt(transfer.amount)]
    const from = await this.#findAddress(wallet)
    this.#wallets.add(from)
    this.#terms.set(recorded, { from, to: toLowerHex(transfer.to), value })
    return random.chance(this.#world.behavior.owners)
      ? () => this.#misuse(bank, random, wallet, { from, nonce, value })
      : undefined
  }

  /** The owner, who has the key, uses a payment's nonce for a different transfer, or cancels the nonce. */
  #misuse(
    { model }: Bank,
    random: Random,
    wallet: Account,
    { from, nonce, value }: { readonly from: Hex; readonly nonce: Hex; readonly value: bigint },
  ): void {
    if (random.chance(0.3)) {
      this.#world.useByOwner({ authorizer: from, nonce, value: 0n })
      return
    }
    const spent = 1n + BigInt(random.integerBelow(Number(value)))
    const description = `${spent} spent by the owner of ${wallet.id}`
    const payment = model.recordRequest(
      { description, from: wallet.id, to: undefined, expectedOutcome: FAILS },
      spent,
    )
    Object.assign(payment, { state: 'acknowledged', received: spent })
    const hash = this.#world.useByOwner({ authorizer: from, nonce, to: THIEF, value: spent })
    this.#spends.push({ payment, hash })
  }

  /**
   * Reads from the chain which of the owners' transfers were made, and from the ledger their transaction ids.
   */
  async updateSpends(): Promise<void> {
    const { data } = expectStatus(await this.#backend.get('/transactions?type=OUTGOING&limit=100'), 200)
    for (const { payment, hash } of this.#spends) {
      const isMined = this.#world.chain.findTransfers(hash) !== undefined
      payment.expectedOutcome = isMined ? COMPLETES : FAILS
      payment.state = isMined ? 'acknowledged' : 'unused'
      const found = data.find(
        (transaction: Body) => transaction.reconciliationInstructions?.transactionHash === hash,
      )
      if (isMined && found) payment.transactionId = found.id
    }
  }

  /** The key of a session that remains valid for longer than a payment takes. */
  #getSessionKey(wallet: Account): Promise<KeyPair> {
    const known = this.#sessions.get(wallet.id)
    if (known && Date.now() < known.untilMs) return known.key
    const key = this.#signIn(wallet)
    this.#sessions.set(wallet.id, { key, untilMs: Date.now() + SESSION_MS })
    return key
  }

  /**
   * Signs in with a code, as a customer's device would, and repeats steps that got no response. Returns the
   * session's key.
   */
  async #signIn({ id: accountId }: Account): Promise<KeyPair> {
    const backend = this.#backend
    const { data } = expectStatus(await backend.get(`/auth/credentials?accountId=${accountId}`), 200)
    const path = `/auth/credentials/${data[0].id}`
    for (let attempt = 1; attempt <= SIGN_INS_MAX; attempt++) {
      const key = generateKeyPair()
      const sent = await backend.signIn(`${path}/challenge`)
      if (sent.status === 429) {
        await backend.machine.pause(RATE_MS)
        continue
      }
      const { otpEncryptionTargetBundle } = expectStatus(sent, 200)
      const body = { type: 'EMAIL_OTP', encryptedOtpBundle: sealCode(key, otpEncryptionTargetBundle) }
      const recorded = await backend.signIn(`${path}/verify`, body)
      if (recorded.status === 202) {
        const { payloadToSign, requestId } = recorded.body
        const headers = { 'Svc-Wallet-Signature': makeStamp(key, payloadToSign), 'Request-Id': requestId }
        const done = await backend.signIn(`${path}/verify`, body, headers)
        if (done.status === 200) return key
      }
    }
    throw new Violation(`${SIGN_INS_MAX} codes did not open ${accountId}`)
  }
}

/** Chooses an external account of the same customer, or any internal account. */
function choosePayee(
  { accounts, externalAccounts }: Bank,
  random: Random,
  { customerId }: Account,
): { readonly id: string } {
  return random.chance(0.7)
    ? random.pick(externalAccounts.filter((account) => account.customerId === customerId))
    : random.pick(accounts)
}

/** Seals the code and the session's key to the encryption target issued for the code. */
function sealCode(key: KeyPair, bundle: string): string {
  const { targetPublic } = JSON.parse(Buffer.from(JSON.parse(bundle).data, 'hex').toString())
  const recipientPublicKey = parsePublicKey(targetPublic)
  if (!recipientPublicKey) throw new Violation(`The target of a code is not a key: ${targetPublic}`)
  const content = JSON.stringify({ otp_code: CODE, public_key: key.publicKey.compressedHex })
  const { enc, ciphertext } = seal({ recipientPublicKey, plaintext: Buffer.from(content) })
  return JSON.stringify({
    encappedPublic: Buffer.from(enc).toString('hex'),
    ciphertext: Buffer.from(ciphertext).toString('hex'),
  })
}
