/** The check digits of account numbers and tax numbers. A library checks IBANs. */

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1] as const
const CLABE_WEIGHTS = [3, 7, 1] as const
const CBU_WEIGHTS = { bank: [7, 1, 3, 9, 7, 1, 3], account: [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3] } as const
const CPF_DIGITS = 11
const CNPJ_CHARACTERS = 14
/** The weights of a CNPJ start again after 9. A CPF is too short for that. */
const CNPJ_WEIGHT_MAX = 9
const TAX_NUMBER_MODULUS = 11

/** An ABA routing number: 9 digits, a prefix in use (Federal Reserve districts, thrifts, travelers checks). */
export function isRoutingNumber(text: string): boolean {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(text) || /^0+$/.test(text)) return false
  return sumWeighted(text, ROUTING_WEIGHTS) % 10 === 0
}

/**
 * A SEPA creditor identifier: country, check digits of ISO 7064, a business code that does not count, and the national
 * identifier, of which letters and digits count.
 */
export function isCreditorId(text: string): boolean {
  const [, head, national] = /^([A-Z]{2}\d{2})[A-Za-z0-9]{3}([A-Za-z0-9+?/:().,'-]{1,28})$/.exec(text) ?? []
  if (head === undefined || national === undefined) return false
  const characters = `${national}${head}`.replaceAll(/[^A-Za-z0-9]/g, '')
  return [...characters].reduce((rest, one) => Number(`${rest}${Number.parseInt(one, 36)}`) % 97, 0) === 1
}

/** A CLABE: 18 digits, the last one computed from the others. */
export function isClabe(text: string): boolean {
  return /^\d{18}$/.test(text) && text.endsWith(clabeCheckDigit(text.slice(0, -1)))
}

/** The check digit of a CLABE that begins with these 17 digits. */
export function clabeCheckDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, place) => total + ((Number(digit) * CLABE_WEIGHTS[place % 3]!) % 10),
    0,
  )
  return String((10 - (sum % 10)) % 10)
}

/** A CBU or CVU of Argentina: bank and branch (7 digits), their check digit, account (13), its check digit. */
export function isCbu(text: string): boolean {
  return /^\d{22}$/.test(text) && text === cbuFrom(text.slice(0, 7), text.slice(8, 21))
}

/** Makes the CBU or CVU from 7 digits for bank and branch and 13 for the account. */
export function cbuFrom(bank: string, account: string): string {
  const check = (digits: string, weights: readonly number[]) =>
    (10 - (sumWeighted(digits, weights) % 10)) % 10
  return `${bank}${check(bank, CBU_WEIGHTS.bank)}${account}${check(account, CBU_WEIGHTS.account)}`
}

/** A CPF, the tax number of a person in Brazil: 11 digits, the last two computed; eleven equal digits are not valid. */
export function isCpf(text: string): boolean {
  return /^(?!(\d)\1{10})\d{11}$/.test(text) && hasTaxNumberDigits(text, CPF_DIGITS)
}

/**
 * A CNPJ, the tax number of a business in Brazil: 14 characters, including letters since 2026, the last two
 * computed.
 */
export function isCnpj(text: string): boolean {
  return /^(?!(\d)\1{13})[0-9A-Z]{12}\d{2}$/.test(text) && hasTaxNumberDigits(text, CNPJ_CHARACTERS)
}

function hasTaxNumberDigits(text: string, length: number): boolean {
  const weightMax = length === CPF_DIGITS ? CPF_DIGITS : CNPJ_WEIGHT_MAX
  return [length - 2, length - 1].every(
    (place) => Number(text[place]) === taxNumberDigit(text.slice(0, place), weightMax),
  )
}

/**
 * Modulo 11 over the characters' distances from '0', weighted 2, 3, … from the right, starting at 2 again
 * after the last weight.
 */
function taxNumberDigit(first: string, weightMax: number): number {
  const weights = weightMax - 1
  const sum = [...first]
    .reverse()
    .reduce(
      (total, character, at) => total + (character.charCodeAt(0) - '0'.charCodeAt(0)) * (2 + (at % weights)),
      0,
    )
  const rest = sum % TAX_NUMBER_MODULUS
  return rest < 2 ? 0 : TAX_NUMBER_MODULUS - rest
}

function sumWeighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((total, weight, place) => total + weight * Number(digits[place]), 0)
}
