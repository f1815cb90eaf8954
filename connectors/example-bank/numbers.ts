/** A German bank code that belongs to no bank. */
const BANK_CODE = '99999999'
export const BIC = 'EXBKDEFF'
export const BANK_NAME = 'Example Bank'
/** A routing number with a valid check digit that belongs to no bank. */
export const ROUTING_NUMBER = '110000000'

/** Builds the IBAN of an account, with its check digits (ISO 13616). */
export function buildIban(account: number, bankCode = BANK_CODE): string {
  const bban = `${bankCode}${String(account).padStart(10, '0')}`
  // D is 13, E is 14, and 00 stands for the check digits.
  const remainder = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - remainder).padStart(2, '0')}${bban}`
}

export function formatUsAccount(account: number): string {
  return String(account).padStart(12, '0')
}
