import { ConnectionError, CountersignError } from '../client/errors.ts'
import { NotConfirmedError } from '../signing/confirm.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import { AmountError } from './money.ts'
import type { Texts } from './texts/texts.ts'

/** The keys of `Texts` whose value is a plain string. */
export type Sentence = { [K in keyof Texts]: Texts[K] extends string ? K : never }[keyof Texts]

/** The message for each error code. */
export const BY_CODE: Readonly<Record<string, Sentence>> = {
  RATE_LIMITED: 'tooMany',
  CODE_SIGN_IN_LOCKED: 'codesLocked',
  INSUFFICIENT_BALANCE: 'balanceTooLow',
  QUOTE_EXPIRED: 'quoteExpired',
  INVALID_AMOUNT: 'wrongAmount',
  AMOUNT_OUT_OF_RANGE: 'wrongAmount',
  INVALID_BANK_ACCOUNT: 'wrongBankAccount',
  WALLET_SIGNATURE_INVALID: 'sessionEnded',
  SESSION_NOT_FOUND: 'sessionEnded',
}

/** Returns the message for an error in the customer's language. `own` overrides the message for a code. */
export function formatError(
  error: unknown,
  texts: Texts,
  own: Readonly<Record<string, Sentence>> = {},
): string {
  if (error instanceof CountersignError) {
    const sentence = own[error.code] ?? BY_CODE[error.code]
    return sentence ? texts[sentence] : `${texts.wentWrong} (${error.code})`
  }
  if (error instanceof AmountError) return texts.wrongAmount
  if (error instanceof ConnectionError) return texts.unreachable
  if (error instanceof NotConfirmedError) return texts.notConfirmed
  if (error instanceof PayloadMismatchError) return texts.notWhatYouAsked
  // The browser throws these if the customer closes its dialog or has no passkey for this page.
  if (error instanceof Error && /^(?:NotAllowed|Abort)Error$/.test(error.name)) return texts.passkeyNotUsed
  return texts.wentWrong
}
