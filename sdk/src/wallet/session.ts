import type { Answer, Caller } from '../client/calls.ts'
import { SealedKeyError } from '../crypto/session-key.ts'
import { isObject } from '../json/json.ts'
import { CheckedPayload, type Expectation } from '../signing/checked-payload.ts'
import { type Confirm, requireConfirmation } from '../signing/confirm.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import { formatExecutionTarget, type SignedCall } from '../signing/signed-call.ts'
import { signed } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import { isPayment, type Payment } from '../signing/statement.ts'
import { DeviceKey } from './device-key.ts'
import { RecipientKey } from './recipient-key.ts'

/** A session's data. Browsers can store it in IndexedDB, where its keys stay non-exportable. */
export interface SessionRecord {
  readonly id: string
  /** The wallet that the session belongs to. */
  readonly accountId: string
  /** ISO 8601. */
  readonly expiresAt: string
  readonly keyPair: CryptoKeyPair
}

/** Fields common to all responses that issue a session. */
interface IssuedSession {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: string
  readonly encryptedSessionSigningKey?: string
}

/** The fields of a quote compared with its payload. */
export type SignedQuote = Pick<
  Answer<'quote_get'>['body'],
  'id' | 'expiresAt' | 'totalSendingAmount' | 'totalReceivingAmount' | 'feesIncluded' | 'paymentInstructions'
>

/**
 * A signed-in wallet, which can sign until the session expires (specification 2.2). It signs payloads that
 * were checked against a call of this program, and payments only after `confirm` has shown them to the
 * customer. The underlying key is `key`.
 */
export class Session implements Signer {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: Date
  readonly key: DeviceKey
  readonly #caller: Caller
  readonly #confirm: Confirm | undefined

  private constructor(caller: Caller, issued: IssuedSession, key: DeviceKey, confirm: Confirm | undefined) {
    this.#caller = caller
    this.#confirm = confirm
    this.id = issued.id
    this.accountId = issued.accountId
    this.expiresAt = new Date(issued.expiresAt)
    this.key = key
  }

  /** Restores a stored session. */
  static async fromRecord(caller: Caller, record: SessionRecord, confirm?: Confirm): Promise<Session> {
    return new Session(caller, record, await DeviceKey.fromKeyPair(record.keyPair), confirm)
  }

  /** Creates the session of a sign-in by code, whose key was generated on the device. */
  static ofDeviceKey(caller: Caller, issued: IssuedSession, key: DeviceKey, confirm?: Confirm): Session {
    return new Session(caller, issued, key, confirm)
  }

  /**
   * Creates a session whose key the server generated and sealed to `key`. Rejects with SealedKeyError if it
   * cannot be opened.
   */
  static async ofSealedKey(
    caller: Caller,
    issued: IssuedSession,
    key: RecipientKey,
    confirm?: Confirm,
  ): Promise<Session> {
    const { encryptedSessionSigningKey } = issued
    if (encryptedSessionSigningKey === undefined)
      throw new SealedKeyError(
        'The response contains no session key: only the response that issues the session does.',
      )
    return new Session(caller, issued, await key.openSessionKey(encryptedSessionSigningKey), confirm)
  }

  /** Returns a copy of the session with another `confirm`, for pages that show more details of a payment. */
  confirmedBy(confirm: Confirm): Session {
    const { id, accountId, expiresAt, key } = this
    return new Session(this.#caller, { id, accountId, expiresAt: expiresAt.toISOString() }, key, confirm)
  }

  /** The data for `fromRecord`, to be stored. */
  get record(): SessionRecord {
    const { id, accountId, expiresAt, key } = this
    return { id, accountId, expiresAt: expiresAt.toISOString(), keyPair: key.keyPair }
  }

  /** 66 hex characters, compressed. */
  get publicKey(): string {
    return this.key.publicKey
  }

  /**
   * Returns the stamp over a checked payload of this wallet. A payment is shown first. Rejects with
   * ConfirmationRequiredError if there is no `confirm`, and with NotConfirmedError if the customer declines.
   */
  async sign(payload: CheckedPayload): Promise<string> {
    if (!CheckedPayload.isOne(payload))
      throw new TypeError('A session signs only what CheckedPayload.check has checked: see Session.approve.')
    const { account } = payload.statement
    if (account !== this.accountId)
      throw new PayloadMismatchError('account', `is ${account}, but the session is of ${this.accountId}`)
    await requireConfirmation(payload.statement, this.#confirm)
    return this.key.sign(payload.text)
  }

  /**
   * For apps whose backend makes the calls and forwards the payload: returns the stamp over `payloadToSign`
   * if it authorizes exactly `call`, which this device knows itself (`signedCall('card_update', { params,
   * body })`). Rejects with PayloadMismatchError, and like `sign`.
   */
  async approve(
    payloadToSign: string,
    call: SignedCall & Pick<Expectation, 'requestId' | 'expiresAt'>,
  ): Promise<string> {
    return this.sign(await CheckedPayload.check(payloadToSign, { ...call, account: this.accountId }))
  }

  /**
   * Returns the stamp over the payload in a quote's `paymentInstructions`, with which the quote can be
   * executed in one call, without a challenge. Rejects with PayloadMismatchError if the payload differs from
   * this quote, and like `sign`.
   */
  async approveQuote(quote: SignedQuote): Promise<string> {
    const call = { operation: 'quote_execute', target: formatExecutionTarget(quote.id) } as const
    const { expiresAt } = quote
    const payload = await CheckedPayload.check(getPayload(quote), {
      ...call,
      account: this.accountId,
      expiresAt,
    })
    const { statement } = payload
    if (!isPayment(statement)) throw new PayloadMismatchError('operation', 'is not a payment')
    checkAmounts(statement, quote)
    return this.sign(payload)
  }

  /**
   * True if the session has expired at `now`. The server's clock is authoritative; in a sandbox it can be
   * moved.
   */
  isExpired(now: Date): boolean {
    return now >= this.expiresAt
  }

  /**
   * Creates a new session with a separate key while this one is active (specification 4.6). This session
   * keeps its expiry. Rejects with CountersignError 404 `SESSION_NOT_FOUND` if it has expired or been
   * revoked; the customer must then sign in again.
   */
  async refresh(): Promise<Session> {
    const key = await RecipientKey.generate()
    const { clientPublicKey } = key
    const input = { params: { id: this.id }, body: { clientPublicKey } }
    const { body } = await signed(this.#caller, 'session_refresh', input, this)
    return Session.ofSealedKey(this.#caller, { ...body, accountId: this.accountId }, key, this.#confirm)
  }

  /** Signs out by revoking the session on the server (specification 4.7). */
  async revoke(): Promise<void> {
    await signed(this.#caller, 'session_delete', { params: { id: this.id } }, this)
  }
}

function getPayload({ paymentInstructions = [] }: SignedQuote): string {
  for (const { accountOrWalletInfo } of paymentInstructions) {
    const info: unknown = accountOrWalletInfo
    if (isObject(info) && typeof info.payloadToSign === 'string') return info.payloadToSign
  }
  throw new PayloadMismatchError(
    'payloadToSign',
    'is missing: the source of this quote is not an embedded wallet',
  )
}

/** Checks that the payload matches the quote as the app shows it. */
function checkAmounts({ sends, feesIncluded, delivers }: Payment, quote: SignedQuote): void {
  const pairs = [
    ['sends.amount', sends.amount, quote.totalSendingAmount],
    ['feesIncluded', feesIncluded, quote.feesIncluded],
    ['delivers.amount', delivers.amount, quote.totalReceivingAmount],
  ] as const
  for (const [member, signed, shown] of pairs)
    if (signed !== shown) throw new PayloadMismatchError(member, `is ${signed}, but the quote has ${shown}`)
}
