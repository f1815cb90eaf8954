import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeModifier, MARK_BYTES, messageNamesIn, modifierOf, namesOfFile } from './file-names.ts'
import { sepaReference } from './formats/sepa-text.ts'

const rail = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/)
const number = fc.bigInt({ min: 1n, max: 99_999_999n })
const mark = fc.uint8Array({ minLength: MARK_BYTES, maxLength: MARK_BYTES })

test('the name of a message is a valid reference of at most 35 characters for every rail and number', () => {
  fc.assert(
    fc.property(rail, number, mark, (...[name, count, random]) => {
      const { message_name } = namesOfFile(name, count, random, 'xml')
      expect(sepaReference(message_name, 'message id')).toBe(message_name)
    }),
  )
})

test('the name of a message is found in every text in which a bank puts it, whether it has a mark or not', () => {
  const around = fc.constantFrom('', ' ', 'SAMMLER ', '/', '. ', 'DATEI: ')
  fc.assert(
    fc.property(rail, number, mark, around, (...[name, count, random, word]) => {
      const { message_name } = namesOfFile(name, count, random, 'xml')
      const before = `${name.toUpperCase().slice(0, 20)}-${String(count).padStart(8, '0')}`
      for (const one of [message_name, before]) expect(messageNamesIn(`${word}${one} 12 STK`)).toContain(one)
    }),
  )
})

test('two rails and a restored database never give a file the same name, although their numbers are the same', () => {
  const names = ['house-bank-of-germany-1', 'house-bank-of-germany-2', 'house-bank-of-germany-1'].map(
    (name, index) => namesOfFile(name, 1n, new Uint8Array(MARK_BYTES).fill(index), 'xml'),
  )
  expect(new Set(names.map(({ name }) => name)).size).toBe(3)
  expect(new Set(names.map(({ message_name }) => message_name)).size).toBe(3)
})

test('36 files of a day have 36 modifiers, whatever earlier versions have given, and a 37th file gets no modifier', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 5 }), (numbers) => {
      const files = numbers.map((one): { modifier: string | null; number: bigint } => ({
        modifier: null,
        number: one,
      }))
      const taken = new Set(files.map(modifierOf))
      for (let modifier = freeModifier(files); modifier !== undefined; modifier = freeModifier(files)) {
        expect(taken.has(modifier)).toBe(false)
        taken.add(modifier)
        files.push({ modifier, number: 1n })
      }
      expect(taken.size).toBe(36)
    }),
  )
})
