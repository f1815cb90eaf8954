import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardFormulas } from './csv-guard.ts'

const FORMULA = /^[ "']*[=+\-@\t\r\n＝＋－＠]/

test('no CSV cell starts with a formula, regardless of separator and content', () => {
  const parts = fc.constantFrom(...';,\t\r\n|"\' =+-@＝＋－＠a1')
  fc.assert(
    fc.property(
      fc.array(parts).map((all) => all.join('')),
      (text) => {
        // Our own apostrophe, or nothing: a cell that begins with a separator is empty.
        for (const separator of [/;/, /[;\n]/, /\t/, /[;\t\r\n|]/])
          for (const cell of guardFormulas(text).split(separator))
            expect(
              cell === '' || cell.startsWith("'") || !/^[=+\-@＝＋－＠]/.test(cell),
              JSON.stringify([text, cell]),
            ).toBe(true)
        expect(FORMULA.test(guardFormulas(text)) && !guardFormulas(text).startsWith("'")).toBe(false)
      },
    ),
    { numRuns: 2000 },
  )
})

test('a CSV cell without a formula is unchanged', () => {
  for (const text of ['Ada Lovelace', 'rent; May', 'a-b', '1,5', '', "O'Hara", 'x=1', 'a;b;c'])
    expect(guardFormulas(text)).toBe(text)
  expect(guardFormulas('rent;=1+1')).toBe("rent;'=1+1")
  expect(guardFormulas('=1')).toBe("'=1")
})
