import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clabeCheckDigit, ibanCheckDigits, isClabe, isIban, isRoutingNumber } from './check-digits.ts'

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''))

/** Every text that differs from this one in one digit. */
function withOneDigitChanged(text: string): string[] {
  return [...text].flatMap((letter, place) =>
    /\d/.test(letter)
      ? [...'0123456789']
          .filter((digit) => digit !== letter)
          .map((digit) => text.slice(0, place) + digit + text.slice(place + 1))
      : [],
  )
}

describe('routing number', () => {
  test.each(['021000021', '011401533', '110000000', '322271627', '091000019'])('%s is one', (number) => {
    expect(isRoutingNumber(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isRoutingNumber)).toEqual([])
  })

  test.each([
    '021000022',
    '000000000',
    '123456789',
    '999999992',
    '130000002',
    '02100002',
    '0210000210',
    '02100002x',
    '',
  ])('%j is none', (number) => {
    expect(isRoutingNumber(number)).toBe(false)
  })
})

describe('CLABE', () => {
  test.each(['032180000118359719', '002010077777777771'])('%s is one', (number) => {
    expect(isClabe(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isClabe)).toEqual([])
  })

  test.each(['032180000118359718', '03218000011835971', '0321800001183597190', '03218000011835971x'])(
    '%s is none',
    (number) => {
      expect(isClabe(number)).toBe(false)
    },
  )

  test('a computed digit makes one', () => {
    fc.assert(fc.property(digits(17), (first) => isClabe(first + clabeCheckDigit(first))))
  })
})

describe('IBAN', () => {
  test.each([
    'DE89370400440532013000',
    'GB82WEST12345698765432',
    'FR1420041010050500013M02606',
    'NL91ABNA0417164300',
    'AE070331234567890123456',
    'MT84MALT011000012345MTLCAST001S',
    'GB82west12345698765432',
  ])('%s is one', (iban) => {
    expect(isIban(iban)).toBe(true)
    expect(withOneDigitChanged(iban).filter(isIban)).toEqual([])
  })

  test.each([
    'DE89370400440532013001',
    'DE8937040044',
    'DE89 3704 0044 0532 0130 00',
    '',
    'DE00370400440532013000',
  ])('%j is none', (iban) => {
    expect(isIban(iban)).toBe(false)
  })

  test('computed digits make one', () => {
    fc.assert(fc.property(digits(18), (part) => isIban(`DE${ibanCheckDigits('DE', part)}${part}`)))
  })
})
