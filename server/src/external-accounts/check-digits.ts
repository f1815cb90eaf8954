/** The check digits of bank account numbers. Each function takes the form that the contract's pattern has let through. */

const ROUTING_WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1] as const
const CLABE_WEIGHTS = [3, 7, 1] as const
const IBAN_MODULUS = 97

/** An ABA routing number: 9 digits, a prefix that is in use (Federal Reserve districts, thrifts, travelers checks). */
export function isRoutingNumber(text: string): boolean {
  if (!/^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/.test(text) || /^0+$/.test(text)) return false
  const sum = ROUTING_WEIGHTS.reduce((total, weight, place) => total + weight * Number(text[place]), 0)
  return sum % 10 === 0
}

/** A CLABE: 18 digits, the last one computed from the others. */
export function isClabe(text: string): boolean {
  return /^\d{18}$/.test(text) && text.endsWith(clabeCheckDigit(text.slice(0, -1)))
}

/** The last digit of the CLABE that begins with these 17. */
export function clabeCheckDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, place) => total + ((Number(digit) * CLABE_WEIGHTS[place % 3]!) % 10),
    0,
  )
  return String((10 - (sum % 10)) % 10)
}

/** An IBAN by ISO 7064 mod 97-10. Letters count in either case. */
export function isIban(text: string): boolean {
  return /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,30}$/.test(text) && mod97(text.slice(4) + text.slice(0, 4)) === 1
}

/** The two digits after the country of the IBAN with this country and national part. */
export function ibanCheckDigits(country: string, nationalPart: string): string {
  return String(IBAN_MODULUS + 1 - mod97(`${nationalPart}${country}00`)).padStart(2, '0')
}

/** Digits as they stand, letters as two digits each (A is 10), all of it as one number modulo 97. */
function mod97(text: string): number {
  let rest = 0
  for (const letter of text) {
    const value = Number.parseInt(letter, 36)
    rest = (rest * (value < 10 ? 10 : 100) + value) % IBAN_MODULUS
  }
  return rest
}
