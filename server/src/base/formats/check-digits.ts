/** Check digits of account numbers and tax numbers. IBANs are checked by a library. */

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1] as const
const CLABE_WEIGHTS = [3, 7, 1] as const
const CBU_WEIGHTS = { bank: [7, 1, 3, 9, 7, 1, 3], account: [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3] } as const
const CPF_DIGITS = 11
const CNPJ_CHARACTERS = 14
/** After 9, the weights of a CNPJ start over. A CPF is too short for that. */
const CNPJ_WEIGHT_MAX = 9
const TAX_NUMBER_MODULUS = 11

/**
 * An ABA routing number: 9 digits with a prefix that is in use (Federal Reserve districts, thrifts, travelers
 * checks).
 */
export function isRoutingNumber(text: string): boolean {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(text) || /^0+$/.test(text)) return false
  return sumWeighted(text, ROUTING_WEIGHTS) % 10 === 0
}

/**
 * A SEPA creditor identifier: country, ISO 7064 check digits, business code and national identifier. The
 * check digits do not cover the business code, and only cover letters and digits in the national identifier.
 */
export function isCreditorId(text: string): boolean {
  const [, head, national] = /^([A-Z]{2}\d{2})[A-Za-z0-9]{3}([A-Za-z0-9+?/:().,'-]{1,28})$/.exec(text) ?? []
  if (head === undefined || national === undefined) return false
  const characters = `${national}${head}`.replaceAll(/[^A-Za-z0-9]/g, '')
  return (
    [...characters].reduce(
      (remainder, character) => Number(`${remainder}${Number.parseInt(character, 36)}`) % 97,
      0,
    ) === 1
  )
}

/** A CLABE: 17 digits and a check digit. */
export function isClabe(text: string): boolean {
  return /^\d{18}$/.test(text) && text.endsWith(computeClabeDigit(text.slice(0, -1)))
}

/** Computes the check digit of a CLABE from its first 17 digits. */
export function computeClabeDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, index) => total + ((Number(digit) * CLABE_WEIGHTS[index % 3]!) % 10),
    0,
  )
  return String((10 - (sum % 10)) % 10)
}

/**
 * A CBU or CVU of Argentina: bank and branch (7 digits) and a check digit, account (13 digits) and a check
 * digit.
 */
export function isCbu(text: string): boolean {
  return /^\d{22}$/.test(text) && text === buildCbu(text.slice(0, 7), text.slice(8, 21))
}

/** Builds the CBU or CVU from 7 digits for bank and branch, and 13 for the account. */
export function buildCbu(bank: string, account: string): string {
  const check = (digits: string, weights: readonly number[]) =>
    (10 - (sumWeighted(digits, weights) % 10)) % 10
  return `${bank}${check(bank, CBU_WEIGHTS.bank)}${account}${check(account, CBU_WEIGHTS.account)}`
}

/**
 * A CPF, the tax number of a person in Brazil: 11 digits, the last two of which are check digits. Eleven
 * equal digits are invalid.
 */
export function isCpf(text: string): boolean {
  return /^(?!(\d)\1{10})\d{11}$/.test(text) && hasTaxNumberDigits(text, CPF_DIGITS)
}

/**
 * A CNPJ, the tax number of a business in Brazil: 14 characters, including letters since 2026. The last two
 * are check digits.
 */
export function isCnpj(text: string): boolean {
  return /^(?!(\d)\1{13})[0-9A-Z]{12}\d{2}$/.test(text) && hasTaxNumberDigits(text, CNPJ_CHARACTERS)
}

function hasTaxNumberDigits(text: string, length: number): boolean {
  const weightMax = length === CPF_DIGITS ? CPF_DIGITS : CNPJ_WEIGHT_MAX
  return [length - 2, length - 1].every(
    (index) => Number(text[index]) === computeTaxNumberDigit(text.slice(0, index), weightMax),
  )
}

/**
 * Modulo 11 over the distances of the characters from '0', weighted 2, 3, … from the right, and starting over
 * at 2 after the maximum weight.
 */
function computeTaxNumberDigit(first: string, weightMax: number): number {
  const weights = weightMax - 1
  const sum = [...first]
    .reverse()
    .reduce(
      (total, character, index) =>
        total + (character.charCodeAt(0) - '0'.charCodeAt(0)) * (2 + (index % weights)),
      0,
    )
  const remainder = sum % TAX_NUMBER_MODULUS
  return remainder < 2 ? 0 : TAX_NUMBER_MODULUS - remainder
}

function sumWeighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0)
}
