import { PaymentInstructions } from '@countersign/contract/accounts/payment-instructions'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { ERRORS } from '@countersign/contract/core/errors'
import { PAYLOADS } from '@countersign/contract/signing/payloads'
import { describe, expect, test } from 'vitest'
import { CountersignError } from '../client/errors.ts'
import { NotConfirmedError } from '../signing/confirm.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import type { Payment } from '../signing/statement.ts'
import { BY_CODE, formatError } from './error-texts.ts'
import { findPayeeName, formatFieldName, formatFieldValue } from './field-texts.ts'
import { findDecimals, formatAmount, formatDecimal, parseAmount } from './money.ts'
import { findLanguage, TEXTS } from './texts/languages.ts'
import type { Texts } from './texts/texts.ts'
import { createWords } from './use-words.ts'

const languages = Object.entries(TEXTS)
const ARGUMENT = '•argument•'

/** Every message of a language by its path, with arguments filled in. */
function listTexts(part: object, path = ''): [path: string, text: string][] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[path + name, value]] satisfies [string, string][]
    if (typeof value === 'function')
      return [[path + name, (value as (...given: string[]) => string)(ARGUMENT, ARGUMENT)]] satisfies [
        string,
        string,
      ][]
    return listTexts(value as object, `${path}${name}.`)
  })
}

/** All field names of a schema, at any depth. */
function listProperties(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name)
    listProperties(value, found)
  }
  return found
}

describe.each(languages)('the texts in %s', (language, texts) => {
  test('have no empty entry and include their parameters', () => {
    for (const [path, text] of listTexts(texts)) expect(text.trim(), path).not.toBe('')
    for (const [name, value] of Object.entries(texts))
      if (typeof value === 'function') {
        const text = (value as (...given: string[]) => string)(ARGUMENT, ARGUMENT)
        expect(text.replaceAll(' ', ''), name).toContain(ARGUMENT)
      }
  })

  test('are written in that language', () => {
    if (language === 'en') return
    const english = new Map(listTexts(TEXTS.en))
    const same = listTexts(texts).filter(
      ([path, text]) => english.get(path) === text && /[a-z] [a-z]/.test(text),
    )
    // Names without another form there.
    expect(
      same.map(([, text]) => text).filter((text) => !/^(?:Sort code|Routing number)$/.test(text)),
    ).toEqual([])
    const names = Object.keys(texts.fields)
    expect(names).toEqual(Object.keys(TEXTS.en.fields))
  })

  test('name every field of payees and payment instructions', () => {
    const notShown = [
      ...['accountInfo', 'accountOrWalletInfo', 'beneficiary', 'destinationType'],
      ...['instructionsNotes', 'isPlatformAccount', 'payloadToSign'],
    ]
    const members = listProperties(
      PaymentInstructions,
      listProperties(PAYLOADS.quote_execute.properties.destination),
    )
    expect(members.size).toBeGreaterThan(40)
    expect([...members].filter((name) => !notShown.includes(name) && !(name in texts.fields))).toEqual([])
  })
})

test('a field is labelled by the last part of its path, and its value is translated if possible', () => {
  expect(formatFieldName(TEXTS.es, 'accountInfo.beneficiary.fullName')).toBe('Nombre')
  expect(formatFieldName(TEXTS.fr, 'accountInfo.paymentRails.0')).toBe('Moyens de paiement')
  expect(formatFieldName(TEXTS.en, 'accountInfo.novel')).toBe('novel')
  expect(formatFieldValue(TEXTS.pt, 'accountInfo.beneficiary.beneficiaryType', 'BUSINESS')).toBe('Empresa')
  expect(formatFieldValue(TEXTS.en, 'accountInfo.accountType', 'SOLANA_WALLET')).toBe('Solana')
  expect(formatFieldValue(TEXTS.en, 'accountInfo.iban', 'DE89370400440532013000')).toBe(
    'DE89370400440532013000',
  )
})

test('a payee is described by a name or place, never by an id', () => {
  const id = 'ExternalAccount:01900000-0000-7000-8000-000000000001'
  const to = (more: object) => ({ destinationType: 'ACCOUNT', accountId: id, currency: 'USD', ...more })
  const name = (destination: object) => findPayeeName(TEXTS.en, destination as Payment['destination'])
  const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Maria Silva' }
  expect(name(to({ accountInfo: { accountType: 'USD_ACCOUNT', beneficiary } }))).toBe('Maria Silva')
  expect(name(to({ accountInfo: { accountType: 'SPARK_WALLET', address: 'spark1…' } }))).toBe(
    'An account at Spark',
  )
  expect(name(to({}))).toBe('An account in USD')
  expect(name({ destinationType: 'UMA_ADDRESS', umaAddress: '$ada@example.com', currency: 'USD' })).toBe(
    '$ada@example.com',
  )
})

test.each([
  ['es', 'es'],
  ['pt-BR', 'pt'],
  ['FR-ca', 'fr'],
  ['de', 'en'],
  ['', 'en'],
  ['constructor', 'en'],
])('the language of %s is %s', (tag, language) => {
  expect(findLanguage(tag)).toBe(language)
})

test('the decimal places of every currency match the contract, and none are guessed', () => {
  for (const [code, { decimals }] of Object.entries(CURRENCIES))
    expect(findDecimals(code), code).toBe(decimals)
  for (const code of ['XYZ', 'usd', '', 'toString']) expect(findDecimals(code)).toBeUndefined()
})

test('64-bit amounts are formatted exactly in every language', () => {
  const max = 2n ** 63n - 1n
  expect(formatDecimal(max, 6)).toBe('9223372036854.775807')
  expect(formatDecimal(-5n, 2)).toBe('-0.05')
  expect(formatDecimal(7n, 0)).toBe('7')
  const toPlainSpaces = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
  expect(toPlainSpaces(formatAmount('en', max, 'USDB', 6))).toBe('9,223,372,036,854.775807 USDB')
  expect(toPlainSpaces(formatAmount('es', max, 'USDB', 6))).toBe('9.223.372.036.854,775807 USDB')
  expect(toPlainSpaces(formatAmount('fr', 123456789n, 'EUR', 2))).toBe('1 234 567,89 EUR')
  expect(toPlainSpaces(formatAmount('pt-BR', 100_000_000n, 'USDB', 6))).toBe('100,00 USDB')
  expect(toPlainSpaces(formatAmount('en', 5000n, 'VND', 0))).toBe('5,000 VND')
  expect(toPlainSpaces(formatAmount('en', 250n, 'USD', 2, 'always'))).toBe('+2.50 USD')
})

test('an amount in an unknown currency is shown in its smallest unit', () => {
  const { signedMoney } = createWords('en', TEXTS.en)
  expect(signedMoney(12345n, 'XYZ')).toBe('12345 smallest units of XYZ')
  expect(signedMoney(12345n, 'USD')).toBe('123.45\u00a0USD')
})

test.each([
  ['en', '12', 2, 1200n],
  ['en', '12.5', 2, 1250n],
  ['es', '12,50', 2, 1250n],
  ['es', '12.50', 2, 1250n],
  ['en', ' 0.000001 ', 6, 1n],
  ['en', '5', 0, 5n],
  // Either a thousand or one: ambiguous.
  ['en', '1,000', 2, undefined],
  ['es', '1.000', 6, undefined],
  ['en', '1.001', 2, undefined],
  ['en', '0', 2, undefined],
  ['en', '-5', 2, undefined],
  ['en', '1e3', 2, undefined],
  ['en', '1 000', 2, undefined],
  ['en', '', 2, undefined],
  ['en', '5.0', 0, undefined],
] as const)('typed in %s, "%s" with %i places is %s', (language, text, decimals, amount) => {
  expect(parseAmount(language, text, decimals)).toBe(amount)
})

test.each(languages)('failures have messages in %s', (_language, texts: Texts) => {
  const makeRefusal = (code: string) =>
    new CountersignError({ status: 400, code, message: 'not for customers' })
  for (const code of Object.keys(BY_CODE)) {
    expect(ERRORS, code).toHaveProperty(code)
    expect(listTexts(texts).map(([, text]) => text)).toContain(formatError(makeRefusal(code), texts))
  }
  expect(formatError(makeRefusal('SELF_PAYMENT'), texts)).toBe(`${texts.wentWrong} (SELF_PAYMENT)`)
  expect(formatError(makeRefusal('UNAUTHORIZED'), texts, { UNAUTHORIZED: 'wrongCode' })).toBe(texts.wrongCode)
  expect(formatError(new NotConfirmedError({} as Payment), texts)).toBe(texts.notConfirmed)
  expect(formatError(new PayloadMismatchError('a', 'b'), texts)).toBe(texts.notWhatYouAsked)
  expect(formatError(new DOMException('closed', 'NotAllowedError'), texts)).toBe(texts.passkeyNotUsed)
  expect(formatError('?', texts)).toBe(texts.wentWrong)
})
