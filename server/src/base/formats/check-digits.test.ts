import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cbuFrom, clabeCheckDigit, isCbu, isClabe, isCnpj, isCpf, isRoutingNumber } from './check-digits.ts'

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

describe('routing number', () => {
  test.each(['021000021', '011401533', '110000000', '322271627', '091000019'])('%s is valid', (number) => {
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
  ])('%j is not valid', (number) => {
    expect(isRoutingNumber(number)).toBe(false)
  })
})

describe('CLABE', () => {
  test.each(['032180000118359719', '002010077777777771'])('%s is valid', (number) => {
    expect(isClabe(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isClabe)).toEqual([])
  })

  test.each(['032180000118359718', '03218000011835971', '0321800001183597190', '03218000011835971x'])(
    '%s is not valid',
    (number) => {
      expect(isClabe(number)).toBe(false)
    },
  )

  test('a computed digit is valid', () => {
    fc.assert(fc.property(digits(17), (first) => isClabe(first + clabeCheckDigit(first))))
  })
})

describe('CBU and CVU', () => {
  test.each(['2850590940090418135201', '0110599520000000000103'])('%s is valid', (number) => {
    expect(isCbu(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isCbu)).toEqual([])
  })

  test.each(['2850590940090418135202', '2850590040090418135201', '285059094009041813520', ''])(
    '%j is not valid',
    (number) => {
      expect(isCbu(number)).toBe(false)
    },
  )

  test('computed digits are valid', () => {
    fc.assert(fc.property(digits(7), digits(13), (bank, account) => isCbu(cbuFrom(bank, account))))
  })
})

describe('CPF and CNPJ', () => {
  test.each(['12345678909', '52998224725', '11144477735'])('%s is a CPF', (number) => {
    expect(isCpf(number)).toBe(true)
    // A remainder of 10 and one of 0 give the same digit, so a single change can go undetected.
    expect(withOneDigitChanged(number).filter(isCpf).length).toBeLessThan(2)
  })

  // The last one is the tax authority's own example with letters.
  test.each(['11222333000181', '11444777000161', '12ABC34501DE35'])('%s is a CNPJ', (number) => {
    expect(isCnpj(number)).toBe(true)
    expect(withOneDigitChanged(number).filter(isCnpj).length).toBeLessThan(2)
  })

  test.each(['12345678900', '11111111111', '1234567890', '123456789012', '1234567890a', ''])(
    '%j is not a CPF',
    (number) => {
      expect(isCpf(number)).toBe(false)
    },
  )

  test.each(['11222333000180', '00000000000000', '12abc34501de35', '12ABC34501DE3F', ''])(
    '%j is not a CNPJ',
    (number) => {
      expect(isCnpj(number)).toBe(false)
    },
  )
})
