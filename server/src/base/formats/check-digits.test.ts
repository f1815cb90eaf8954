import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildCbu,
  computeClabeDigit,
  isCbu,
  isClabe,
  isCnpj,
  isCpf,
  isRoutingNumber,
} from './check-digits.ts'

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''))

/** Every string that differs from this one in one digit. */
function withOneDigitChanged(text: string): string[] {
  return [...text].flatMap((letter, place) =>
    /\d/.test(letter)
      ? [...'0123456789']
          .filter((digit) => digit !== letter)
          .map((digit) => text.slice(0, place) + digit + text.slice(place + 1))
      : [],
  )
}

describe('an ABA routing number', () => {
  test.each(['021000021', '011401533', '110000000', '322271627', '091000019'])('is valid: %s', (number) => {
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
  ])('is not valid: %j', (number) => {
    expect(isRoutingNumber(number)).toBe(false)
  })
})

describe('a CLABE', () => {
  test.each(['032180000118359719', '002010077777777771'])('is valid: %s', (number) => {
    expect(isClabe(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isClabe)).toEqual([])
  })

  test.each(['032180000118359718', '03218000011835971', '0321800001183597190', '03218000011835971x'])(
    'is not valid: %s',
    (number) => {
      expect(isClabe(number)).toBe(false)
    },
  )

  test('is valid with a computed check digit', () => {
    fc.assert(fc.property(digits(17), (first) => isClabe(first + computeClabeDigit(first))))
  })
})

describe('a CBU or CVU', () => {
  test.each(['2850590940090418135201', '0110599520000000000103'])('is valid: %s', (number) => {
    expect(isCbu(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isCbu)).toEqual([])
  })

  test.each(['2850590940090418135202', '2850590040090418135201', '285059094009041813520', ''])(
    'is not valid: %j',
    (number) => {
      expect(isCbu(number)).toBe(false)
    },
  )

  test('is valid with computed check digits', () => {
    fc.assert(fc.property(digits(7), digits(13), (bank, account) => isCbu(buildCbu(bank, account))))
  })
})

describe('a Brazilian tax number', () => {
  test.each(['12345678909', '52998224725', '11144477735'])('is a valid CPF: %s', (number) => {
    expect(isCpf(number)).toBe(true)
    // The remainders 10 and 0 give the same digit, so a single change can go undetected.
    expect(withOneDigitChanged(number).filter(isCpf).length).toBeLessThan(2)
  })

  // The last number is the tax authority's own example with letters.
  test.each(['11222333000181', '11444777000161', '12ABC34501DE35'])('is a valid CNPJ: %s', (number) => {
    expect(isCnpj(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isCnpj).length).toBeLessThan(2)
  })

  test.each(['12345678900', '11111111111', '1234567890', '123456789012', '1234567890a', ''])(
    'is not a valid CPF: %j',
    (number) => {
      expect(isCpf(number)).toBe(false)
    },
  )

  test.each(['11222333000180', '00000000000000', '12abc34501de35', '12ABC34501DE3F', ''])(
    'is not a valid CNPJ: %j',
    (number) => {
      expect(isCnpj(number)).toBe(false)
    },
  )
})
