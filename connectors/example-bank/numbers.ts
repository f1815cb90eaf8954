/** A German bank code that no bank has, and the bank's other names. */
const BANK_CODE = '99999999'
export const BIC = 'EXBKDEFF'
export const BANK_NAME = 'Example Bank'
/** A routing number that passes the check and that no bank has. */
export const ROUTING_NUMBER = '110000000'

/** The IBAN of the account with this number, with its check digits (ISO 13616). */
export function ibanOf(account: number, bankCode = BANK_CODE): string {
  const bban = `${bankCode}${String(account).padStart(10, '0')}`
  // D is 13, E is 14, and 00 stands for the check digits.
  const rest = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - rest).padStart(2, '0')}${bban}`
}

export function usAccountOf(account: number): string {
  return String(account).padStart(12, '0')
}
