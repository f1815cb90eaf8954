import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spellInLatin } from './latin-spelling.ts'
import { toSepaName, toSepaText } from './sepa-text.ts'

test.each([
  ['Ελένη Παπαδοπούλου', 'Eleni Papadopoulou'],
  ['ΓΕΩΡΓΙΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ', 'GEORGIOS PAPADOPOULOS'],
  ['Μπακογιάννη', 'Bakogianni'],
  ['Λάμπρος Καμπάς', 'Lampros Kampas'],
  ['Άγγελος Σφυγξ', 'Angelos Sfynx'],
  ['Μελαγχρινός', 'Melanchrinos'],
  ['Γκίκας', 'Gkikas'],
  ['Παύλος Αυγερινός', 'Pavlos Avgerinos'],
  ['Ευθυμίου', 'Efthymiou'],
  ['Ευάγγελος', 'Evangelos'],
  ['ΕΥΑΓΓΕΛΟΣ', 'EVANGELOS'],
  ['Ευστάθιος', 'Efstathios'],
  ['Ταΰγετος', 'Taygetos'],
  ['Μάυρα', 'Mayra'],
  ['Μαύρος', 'Mavros'],
  ['Ψυχάρης', 'Psycharis'],
  ['ΨΥΧΑΡΗΣ', 'PSYCHARIS'],
  ['Θεοδωράκης', 'Theodorakis'],
  ['Ἀλέξανδρος', 'Alexandros'],
])('the Greek name %s is spelled %s as in a passport', (name, latin) => {
  expect(spellInLatin(name)).toBe(latin)
  expect(spellInLatin(name.normalize('NFD'))).toBe(latin)
})

test.each([
  ['Георги Щерев', '', 'Georgi Shterev'],
  ['ГЕОРГИ ЩЕРЕВ', '', 'GEORGI SHTEREV'],
  ['Николай Цветанов', '', 'Nikolay Tsvetanov'],
  ['Мария Ъглова', '', 'Maria Aglova'],
  ['Юлия Кьосева', '', 'Yulia Kyoseva'],
  ['Иван Жечев', 'BG', 'Ivan Zhechev'],
  ['Иван Жечев', '', 'Ivan Zhechev'],
  ['Милица Ћирић', '', 'Milica Ciric'],
  ['Ђорђе Живковић', '', 'Dorde Zivkovic'],
  ['Љубица Њежић', '', 'Ljubica Njezic'],
  ['ЏЕМАЛ ЉУБОЈЕВИЋ', '', 'DZEMAL LJUBOJEVIC'],
  ['Душан Чолак', 'RS', 'Dusan Colak'],
  ['Душан Чолак', 'ME', 'Dusan Colak'],
  ['Ѓорѓи Ќосев', '', 'Gjorgji Kjosev'],
  ['Ѕвонко Живковски', '', 'Dzvonko Zhivkovski'],
  ['Љупчо Џамбаз', 'MK', 'Ljupcho Djambaz'],
  ['Цветан Шопов', 'MK', 'Cvetan Shopov'],
])('the Cyrillic name %s with country "%s" is spelled %s as in a passport', (name, country, latin) => {
  expect(spellInLatin(name, country)).toBe(latin)
  expect(spellInLatin(name.normalize('NFD'), country)).toBe(latin)
})

test.each([
  ['Əliyev', 'Aliyev'],
  ['Məmmədov', 'Mammadov'],
  ['HƏSƏNOĞLU', 'HASANOGLU'],
  ['Çingiz İşıq', 'Cingiz Isiq'],
])('the Azerbaijani name %s is spelled %s as in a passport', (name, latin) => {
  expect(toSepaName(name, 70, { label: 'name' })).toBe(latin)
})

test('every letter of the supported Greek and Cyrillic alphabets has a spelling, and Latin text does not change', () => {
  const letters = 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰабвгдежзийклмнопрстуфхцчшщъьюяђјљњћџѓѕќ'
  const capitals = [...letters].map((letter) => letter.toUpperCase()).filter((one) => one.length === 1)
  const both = [...letters, ...capitals]
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...both), { minLength: 1, maxLength: 12 }),
      fc.constantFrom('', 'BG', 'RS', 'MK', 'GR', 'DE'),
      (...[word, country]) => {
        const text = word.join('')
        expect(spellInLatin(text, country)).toMatch(/^[A-Za-z]+$/)
        expect(spellInLatin(text.normalize('NFD'), country)).toBe(spellInLatin(text, country))
      },
    ),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9 .,'/-]{0,40}$/), (text) => {
      expect(spellInLatin(text)).toBe(text)
      expect(toSepaText(text, 100, { label: 'text' })).toBe(text.replaceAll(/ +/g, ' ').trim())
    }),
  )
})

test('letters of other Cyrillic alphabets are refused instead of guessed', () => {
  for (const name of ['Ярослав Ґудзь', 'Мышкин', 'Їжак'])
    expect(() => toSepaName(name, 70, { label: 'name' })).toThrow(/which SEPA cannot carry/)
})
