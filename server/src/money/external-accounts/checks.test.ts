import type { AccountTypeName } from '@countersign/contract/accounts/account-types'
import { bech32m } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { hasEvmChecksum, isLightningOffer, toSparkSpelling } from '../../base/formats/addresses.ts'
import { findInvalidField } from './account-details.ts'

type Mode = Parameters<typeof findInvalidField>[1]

function isValid(accountType: AccountTypeName, members: object, mode: Mode = 'production'): boolean {
  return findInvalidField({ accountType, ...members }, mode) === undefined
}

describe('an IBAN', () => {
  // Examples from the IBAN registry.
  test.each([
    'AD1200012030200359100100',
    'AT611904300234573201',
    'BE68539007547034',
    'CH9300762011623852957',
    'DE89370400440532013000',
    'ES9121000418450200051332',
    'FI2112345600000785',
    'FR1420041010050500013M02606',
    'FR1420041010050500013m02606',
    'GB29NWBK60161331926819',
    'IE29AIBK93115212345678',
    'IT60X0542811101000000123456',
    'MT84MALT011000012345MTLCAST001S',
    'NL91ABNA0417164300',
    'NO9386011117947',
    'PL61109010140000071219812874',
    'PT50000201231234567890154',
    'SE4550000000058398257466',
  ])('an IBAN of a SEPA country is accepted for a euro account: %s', (iban) => {
    expect(isValid('EUR_ACCOUNT', { iban })).toBe(true)
    const [first, second] = [iban.slice(2, 3), iban.slice(3, 4)]
    const other = `${iban.slice(0, 2)}${first}${second === '9' ? '8' : Number(second) + 1}${iban.slice(4)}`
    expect(isValid('EUR_ACCOUNT', { iban: other })).toBe(false)
  })

  test.each([
    ['of a country outside of SEPA', 'AE070331234567890123456'],
    ['of a country that does not exist', 'ZZ89370400440532013000'],
    ['of another length', 'DE8937040044053201300'],
    ['with letters where digits are', 'DE68A70400440532013000'],
    ['with the check digits 00', 'DE00370400440532013000'],
    ['with a wrong national check digit', 'BE41539007547035'],
  ])('an IBAN %s is rejected for a euro account', (_, iban) => {
    expect(isValid('EUR_ACCOUNT', { iban })).toBe(false)
  })

  test("an IBAN must have the code of the account's country, or of the country whose IBANs the territory uses", () => {
    const isValidIn = (country: string, iban: string) =>
      isValid('SWIFT_ACCOUNT', { country, iban, swiftCode: 'UBSWCHZH', bankName: 'Bank' })
    expect(isValidIn('CH', 'CH9300762011623852957')).toBe(true)
    expect(isValidIn('LI', 'CH9300762011623852957')).toBe(false)
    expect(isValidIn('JE', 'GB29NWBK60161331926819')).toBe(true)
    expect(isValidIn('GP', 'FR1420041010050500013M02606')).toBe(true)
    expect(isValidIn('IE', 'GB29NWBK60161331926819')).toBe(false)
    expect(isValid('AED_ACCOUNT', { iban: 'DE89370400440532013000' })).toBe(false)
  })
})

test.each([
  ['12-345 678/9.0', true],
  ['ab12', true],
  ['账号', false],
  ['١٢٣٤', false],
  ['１２３４', false],
  ['Ä1', false],
  ['12_34', false],
  ['./-', false],
])(
  'an account number may contain only ASCII letters, digits and separators: %s %s',
  (accountNumber, expected) => {
    expect(isValid('THB_ACCOUNT', { accountNumber })).toBe(expected)
  },
)

describe('a telephone number', () => {
  test.each([
    ['KES_ACCOUNT', { phoneNumber: '+254712123456' }, true],
    ['KES_ACCOUNT', { phoneNumber: '+255621234567' }, false],
    ['MWK_ACCOUNT', { phoneNumber: '+254712123456' }, false],
    ['MWK_ACCOUNT', { phoneNumber: '+26599' }, false],
    ['XOF_ACCOUNT', { phoneNumber: '+221701234567', region: 'SN' }, true],
    ['XOF_ACCOUNT', { phoneNumber: '+221701234567', region: 'TG' }, false],
    ['XAF_ACCOUNT', { phoneNumber: '+242061234567', region: 'CG' }, true],
    ['IDR_ACCOUNT', { phoneNumber: '+62812345678' }, true],
    ['HTG_ACCOUNT', { phoneNumber: '+50934101234' }, true],
    ['HTG_ACCOUNT', { phoneNumber: '+509034101234' }, false],
    ['KES_ACCOUNT', { phoneNumber: '+254202012345' }, false],
    ['KES_ACCOUNT', { phoneNumber: '+254800223456' }, false],
    ['TZS_ACCOUNT', { phoneNumber: '+255222123456' }, false],
    ['UGX_ACCOUNT', { phoneNumber: '+256414123456' }, false],
    ['COP_ACCOUNT', { phoneNumber: '+576012345678' }, true],
  ] as const)(
    "a phone number must be valid in the account's country: %s %j %s",
    (type, members, expected) => {
      expect(isValid(type, members)).toBe(expected)
    },
  )
})

describe('a PIX key', () => {
  test.each([
    ['CPF', '12345678909', true],
    ['CPF', '123.456.789-09', false],
    ['CNPJ', '12ABC34501DE35', true],
    ['CNPJ', '12345678909', false],
    ['PHONE', '+5511961234567', true],
    ['PHONE', '+551123456789', true],
    ['PHONE', '5511961234567', false],
    ['PHONE', '+254712123456', false],
    ['EMAIL', 'ada@example.com', true],
    ['EMAIL', 'ada', false],
    ['RANDOM', '123E4567-e89b-42d3-a456-426614174000', true],
    ['RANDOM', '123e4567e89b42d3a456426614174000', false],
  ])('a PIX key must match its type: %s %s %s', (pixKeyType, pixKey, expected) => {
    expect(isValid('BRL_ACCOUNT', { pixKeyType, pixKey, taxId: '12345678909' })).toBe(expected)
  })
})

test.each([
  ['ada@okhdfcbank', true],
  ['ada@kotak811', true],
  ['1234567890@HDFC0000001', true],
  ['1234567890@hdfc0000001', true],
  ['1234567890@HDFC1000001', false],
  ['1234567890@HDFCO000001', false],
])('a UPI address must name a payment service or a valid IFSC: %s %s', (vpa, expected) => {
  expect(isValid('INR_ACCOUNT', { vpa })).toBe(expected)
})

describe('an address', () => {
  // The examples of EIP-55.
  test.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('an EVM address is accepted in one case or with its checksum: %s', (address) => {
    expect(isValid('ETHEREUM_WALLET', { address })).toBe(true)
    for (const same of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
      expect(isValid('BASE_WALLET', { address: same })).toBe(true)
    const isMixed = address !== address.toLowerCase() && address.slice(2) !== address.slice(2).toUpperCase()
    if (!isMixed) return
    const turned = address.replace(/(.*)([a-f])/, (_, before, letter) => before + letter.toUpperCase())
    expect(hasEvmChecksum(turned)).toBe(false)
    expect(isValid('POLYGON_WALLET', { address: turned })).toBe(false)
  })

  test('a Spark address of a test network is accepted only in the sandbox', () => {
    const regtest = 'sparkrt1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc8pt5y4'
    const main = 'spark1pgssy7d7vel0nh9m4326qc54e6rskpczn07dktww9rv4nu5ptvt0s9uc489gg2'
    expect(isValid('SPARK_WALLET', { address: main })).toBe(true)
    expect(isValid('SPARK_WALLET', { address: main }, 'sandbox')).toBe(true)
    expect(isValid('SPARK_WALLET', { address: regtest })).toBe(false)
    expect(isValid('SPARK_WALLET', { address: regtest }, 'sandbox')).toBe(true)
    expect(isValid('SPARK_WALLET', { address: main.replace('gssy', 'GSSY') }, 'sandbox')).toBe(false)
  })

  // Published before the prefixes became spark and sparkrt.
  test.each([
    'sp1pgss8u5vh4cldqxarcl2hnqgqelhupdt6g9e9y5x489t8ky355f3veh6dln5pf',
    'sp1pgss88jsfr948dtgvvwueyk8l4cev3xaf6qn8hhc724kje44mny6cae8h9s0ml',
  ])('a Spark address may have the older prefix: %s', (address) => {
    const { words } = bech32m.decode(address as `${string}1${string}`, false)
    const regtest = bech32m.encode('sprt', words, false)
    expect(isValid('SPARK_WALLET', { address })).toBe(true)
    expect(isValid('SPARK_WALLET', { address }, 'sandbox')).toBe(true)
    expect(isValid('SPARK_WALLET', { address: regtest })).toBe(false)
    expect(isValid('SPARK_WALLET', { address: regtest }, 'sandbox')).toBe(true)
    expect(isValid('SPARK_WALLET', { address: address.replace('sp1', 'spark1') })).toBe(false)
    expect(toSparkSpelling(address.toUpperCase())).toBe(bech32m.encode('spark', words, false))
    expect(toSparkSpelling(regtest)).toBe(bech32m.encode('sparkrt', words, false))
  })

  test.each([
    ['SOLANA_WALLET', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', true],
    ['SOLANA_WALLET', '11111111111111111111111111111111', true],
    ['SOLANA_WALLET', '1111111111111111111111111111111', false],
    ['SOLANA_WALLET', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDtIv', false],
    ['SOLANA_WALLET', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', false],
    ['TRON_WALLET', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', true],
    ['TRON_WALLET', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', false],
    ['TRON_WALLET', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', false],
  ] as const)(
    'an address of %s must have the right length and checksum: %s %s',
    (type, address, expected) => {
      expect(isValid(type, { address })).toBe(expected)
    },
  )
})

describe('Lightning', () => {
  test.each([
    ['ada@wallet.example', true],
    ['ada@localhost:9737', true],
    ['ada@x..com', false],
    ['ada@x.com.', false],
    ['ada@x-.com', false],
    [`ada@${'x'.repeat(64)}.com`, false],
    ['ada@x.com:0', false],
    ['ada@x.com:99999', false],
  ])('a Lightning address must be a name at a valid host: %s %s', (lightningAddress, expected) => {
    expect(isValid('LIGHTNING', { lightningAddress })).toBe(expected)
  })

  const invoice =
    'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh'

  test('a BOLT 11 invoice must be of the main network and in one case', () => {
    expect(isValid('LIGHTNING', { invoice })).toBe(true)
    expect(isValid('LIGHTNING', { invoice: invoice.toUpperCase() })).toBe(true)
    expect(isValid('LIGHTNING', { invoice: `LNBC${invoice.slice(4)}` })).toBe(false)
    expect(isValid('LIGHTNING', { invoice: invoice.replace('2500u', '2400u') })).toBe(false)
    expect(isValid('LIGHTNING', { invoice: invoice.replace('lnbc', 'lntb') }, 'sandbox')).toBe(false)
  })

  // Test vectors of BOLT 12: a minimal offer, an offer with a description, and invalid offers.
  test.each([
    ['lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese', true],
    ['lno1pgx9getnwss8vetrw3hhyuckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg', true],
    ['lno1pgx9getnwss8vetrw3hhyuc', false],
    ['lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pkses', false],
    ['lno1', false],
  ])('a BOLT 12 offer must have complete records and an issuer: %s %s', (bolt12, expected) => {
    expect(isValid('LIGHTNING', { bolt12 })).toBe(expected)
    expect(isLightningOffer(bolt12)).toBe(expected)
  })

  const key = '02eec7245d6b7d2ccb30380bfbe2a3648cd7a942653f5aa340edcea1f283686619'
  const offered = { 10: '6164', 22: key }
  test.each([
    ['an amount and a description', { ...offered, 8: '2710' }, true],
    ['a currency', { ...offered, 6: '555344', 8: '2710' }, true],
    ['an unlimited quantity', { ...offered, 20: '' }, true],
    ['an unknown odd type', { ...offered, 33: '00', 1000000033: '00' }, true],
    ['an unknown even type', { ...offered, 78: '00' }, false],
    ['a type of signatures', { ...offered, 81: '00' }, false],
    ['the type 0', { 0: '00', ...offered }, false],
    ['an even experimental type', { ...offered, 1000000002: '00' }, false],
    ['a type out of range', { ...offered, 2000000001: '00' }, false],
    ['an issuer that is not a point', { 10: '6164', 22: `04${key.slice(2)}` }, false],
    ['an issuer that is not on the curve', { 10: '6164', 22: '03'.repeat(33) }, false],
    ['an issuer that is too short', { 10: '6164', 22: key.slice(2) }, false],
    ['a currency without an amount', { ...offered, 6: '555344' }, false],
    ['an amount without a description', { 8: '2710', 22: key }, false],
    ['an amount of nine bytes', { ...offered, 8: '01'.repeat(9) }, false],
    ['an amount with a leading zero', { ...offered, 8: '0010' }, false],
    ['a description that is cut off', { 10: 'c3', 22: key }, false],
    ['a currency that is not UTF-8', { ...offered, 6: 'fffefd', 8: '2710' }, false],
    ['half a chain', { 2: '00'.repeat(16), ...offered }, false],
  ])('a BOLT 12 offer must have valid records: %s', (_, records, expected) => {
    expect(isValid('LIGHTNING', { bolt12: encodeOffer(records) })).toBe(expected)
  })

  test('a BOLT 12 offer is rejected if a length is not minimally encoded', () => {
    const long = `fd0021${key}`
    expect(isValid('LIGHTNING', { bolt12: encodeOfferHex(`1621${key}`) })).toBe(true)
    expect(isValid('LIGHTNING', { bolt12: encodeOfferHex(`16${long}`) })).toBe(false)
  })
})

/** Encodes an offer with these records by type. The values are in hexadecimal. */
function encodeOffer(records: Readonly<Record<number, string>>): string {
  const hex = Object.entries(records).map(
    ([type, value]) => bigSize(Number(type)) + bigSize(value.length / 2) + value,
  )
  return encodeOfferHex(hex.join(''))
}

function bigSize(value: number): string {
  return value < 253 ? value.toString(16).padStart(2, '0') : `fe${value.toString(16).padStart(8, '0')}`
}

function encodeOfferHex(hex: string): string {
  const letters = bech32m.encode('lno', bech32m.toWords(Buffer.from(hex, 'hex')), false)
  // Offers have no checksum.
  return letters.slice(0, -6)
}
