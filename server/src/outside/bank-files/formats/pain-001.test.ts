import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDecimalAmount, parseUnits } from './decimal-amounts.ts'
import {
  checkSepaText,
  type SepaFile,
  type SepaPayment,
  writePain001,
  writeSepaTransfer,
} from './pain-001.ts'
import { toWritableAddress } from './pain-001-document.ts'
import { all, bytesOf, each, joinText } from './samples.testing.ts'
import { UnwritablePayment } from './unreadable-file.ts'
import { findElement, findText, readXmlRecords, type XmlElement } from './xml-records.ts'

const FILE: SepaFile = {
  messageId: 'CS-0000000001',
  createdAt: new Date('2026-03-02T09:30:00Z'),
  executionDate: '2026-03-02',
  isInstant: false,
  debtor: { name: 'Müller & Söhne GmbH', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  count: 1,
  total: 125_050n,
}
const PAYMENT: SepaPayment = {
  instructionId: '0198c0de00007000800000000000abcd',
  endToEndId: 'CS0A1B2C3D4E5F',
  amount: 125_050n,
  creditor: { name: 'Łukasz Żółć', iban: 'PL61109010140000071219812874', bic: 'BREXPLPWXXX' },
  remittanceInformation: 'Invoice 7 – thank you',
}

const write = (file: Partial<SepaFile> = {}, payments: readonly SepaPayment[] = [PAYMENT]) =>
  joinText(writePain001({ ...FILE, ...file }, each(payments)))

/** Parses the whole document. */
async function parseTree(xml: string): Promise<XmlElement> {
  const found = readXmlRecords(bytesOf(xml), (namespace) => {
    expect(namespace).toBe('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09')
    return {
      records: new Set(['CstmrCdtTrfInitn']),
      take: ({ element }) => [element],
      takeForeign: () => [],
      end: () => [],
    }
  })
  const [whole] = await all(found)
  return whole!
}

/** A rule of the schema pain.001.001.09 for an element in our files: name, cardinality, and content. */
type Rule = readonly [name: string, need: '1' | '?' | '+', inside: readonly Rule[] | RegExp]
const MAX_35 = /^.{1,35}$/
const MAX_70 = /^.{1,70}$/
const DECIMAL = /^\d{1,16}\.\d{2}$/
const BIC = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/
const IBAN = /^[A-Z]{2}\d{2}[a-zA-Z0-9]{1,30}$/
const ACCOUNT: readonly Rule[] = [['Id', '1', [['IBAN', '1', IBAN]]]]
const AGENT: readonly Rule[] = [
  [
    'FinInstnId',
    '1',
    [
      ['BICFI', '?', BIC],
      ['Othr', '?', [['Id', '1', /^NOTPROVIDED$/]]],
    ],
  ],
]
const ADDRESS: readonly Rule[] = [
  ['StrtNm', '?', MAX_70],
  ['BldgNb', '?', /^.{1,16}$/],
  ['PstCd', '?', /^.{1,16}$/],
  ['TwnNm', '1', MAX_35],
  ['CtrySubDvsn', '?', MAX_35],
  ['Ctry', '1', /^[A-Z]{2}$/],
]
const PARTY: readonly Rule[] = [
  ['Nm', '1', MAX_70],
  ['PstlAdr', '?', ADDRESS],
]
const SCHEMA: readonly Rule[] = [
  [
    'GrpHdr',
    '1',
    [
      ['MsgId', '1', MAX_35],
      ['CreDtTm', '1', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
      ['NbOfTxs', '1', /^\d{1,15}$/],
      ['CtrlSum', '?', DECIMAL],
      ['InitgPty', '1', PARTY],
    ],
  ],
  [
    'PmtInf',
    '+',
    [
      ['PmtInfId', '1', MAX_35],
      ['PmtMtd', '1', /^TRF$/],
      ['NbOfTxs', '?', /^\d{1,15}$/],
      ['CtrlSum', '?', DECIMAL],
      [
        'PmtTpInf',
        '?',
        [
          ['SvcLvl', '+', [['Cd', '1', /^SEPA$/]]],
          ['LclInstrm', '?', [['Cd', '1', /^INST$/]]],
        ],
      ],
      ['ReqdExctnDt', '1', [['Dt', '1', /^\d{4}-\d\d-\d\d$/]]],
      ['Dbtr', '1', PARTY],
      ['DbtrAcct', '1', ACCOUNT],
      ['DbtrAgt', '1', AGENT],
      ['ChrgBr', '?', /^SLEV$/],
      [
        'CdtTrfTxInf',
        '+',
        [
          [
            'PmtId',
            '1',
            [
              ['InstrId', '?', MAX_35],
              ['EndToEndId', '1', MAX_35],
            ],
          ],
          ['Amt', '1', [['InstdAmt', '1', DECIMAL]]],
          ['CdtrAgt', '?', AGENT],
          ['Cdtr', '1', PARTY],
          ['CdtrAcct', '1', ACCOUNT],
          ['RmtInf', '?', [['Ustrd', '1', /^.{1,140}$/]]],
        ],
      ],
    ],
  ],
]
const SEPA_TEXT = /^[A-Za-z0-9/\-?:().,'+ ]*$/

/** Lists the violations of the rules in an element. */
function listFaults(element: XmlElement, rules: readonly Rule[], path = ''): string[] {
  const order = rules.map(([name]) => name)
  const places = element.children.map(({ name }) => order.indexOf(name))
  const found = places.some((place, at) => place < 0 || place < (places[at - 1] ?? 0))
    ? [`${path}: order`]
    : []
  for (const [name, need, inside] of rules) {
    const here = element.children.filter((child) => child.name === name)
    if ((need !== '?' && here.length === 0) || (need !== '+' && here.length > 1))
      found.push(`${path}/${name}: number`)
    for (const child of here) {
      if (!(inside instanceof RegExp)) found.push(...listFaults(child, inside, `${path}/${name}`))
      else if (!inside.test(child.text) || !SEPA_TEXT.test(child.text))
        found.push(`${path}/${name}: ${child.text}`)
    }
  }
  return found
}

test('a SEPA transfer file follows the order and lengths of the schema, in SEPA characters', async () => {
  const whole = await parseTree(await write())
  expect(listFaults(whole, SCHEMA)).toEqual([])
  expect(findText(whole, 'PmtInf/Dbtr/Nm')).toBe('Muller + Sohne GmbH')
  const payment = findElement(whole, 'PmtInf/CdtTrfTxInf')
  expect(findText(payment, 'Cdtr/Nm')).toBe('Lukasz Zolc')
  expect(findText(payment, 'RmtInf/Ustrd')).toBe('Invoice 7 - thank you')
  expect(findElement(payment, 'Amt/InstdAmt')).toMatchObject({ text: '1250.50', attributes: { Ccy: 'EUR' } })
  expect(findElement(whole, 'PmtInf/PmtTpInf/LclInstrm')).toBeUndefined()
})

test('the schema check of these tests detects a wrong order, a missing element and long text', async () => {
  const xml = await write()
  for (const [from, to, found] of [
    ['<ChrgBr>SLEV</ChrgBr>', '', []],
    ['<MsgId>', '<CtrlSum>1.00</CtrlSum><MsgId>', ['/GrpHdr: order', '/GrpHdr/CtrlSum: number']],
    ['CS0A1B2C3D4E5F', 'x'.repeat(36), [`/PmtInf/CdtTrfTxInf/PmtId/EndToEndId: ${'x'.repeat(36)}`]],
    ['Lukasz', 'Łukasz', ['/PmtInf/CdtTrfTxInf/Cdtr/Nm: Łukasz Zolc']],
  ] as const) {
    const changed = xml.replace(from, to)
    expect(changed).not.toBe(xml)
    expect(listFaults(await parseTree(changed), SCHEMA)).toEqual(found)
  }
  expect(listFaults(await parseTree(xml.replace(/<EndToEndId>.*<\/EndToEndId>/, '')), SCHEMA)).toEqual([
    '/PmtInf/CdtTrfTxInf/PmtId/EndToEndId: number',
  ])
})

test('a SEPA instant file is marked as instant, and a missing BIC becomes NOTPROVIDED', async () => {
  const debtor = { name: 'Acme', iban: FILE.debtor.iban }
  const whole = await parseTree(await write({ isInstant: true, debtor }))
  expect(listFaults(whole, SCHEMA)).toEqual([])
  expect(findText(whole, 'PmtInf/PmtTpInf/LclInstrm/Cd')).toBe('INST')
  expect(findText(whole, 'PmtInf/DbtrAgt/FinInstnId/Othr/Id')).toBe('NOTPROVIDED')
})

test('both parties of a SEPA transfer have structured addresses if these are known', async () => {
  const address = {
    street: 'Musterstraße',
    buildingNumber: '7',
    postalCode: '10115',
    city: 'Köln',
    country: 'DE',
  }
  const debtor = { ...FILE.debtor, address }
  const payment = {
    ...PAYMENT,
    creditor: { ...PAYMENT.creditor, address: { city: 'Łódź', region: 'Łódzkie', country: 'PL' } },
  }
  const whole = await parseTree(await write({ debtor }, [payment]))
  expect(listFaults(whole, SCHEMA)).toEqual([])
  const debtorAddress = findElement(whole, 'PmtInf/Dbtr/PstlAdr')?.children.map(({ name, text }) => [
    name,
    text,
  ])
  expect(debtorAddress).toEqual([
    ...[
      ['StrtNm', 'Musterstrasse'],
      ['BldgNb', '7'],
      ['PstCd', '10115'],
      ['TwnNm', 'Koln'],
      ['Ctry', 'DE'],
    ],
  ])
  const creditorAddress = findElement(whole, 'PmtInf/CdtTrfTxInf/Cdtr/PstlAdr')?.children.map(
    ({ text }) => text,
  )
  expect(creditorAddress).toEqual(['Lodz', 'Lodzkie', 'PL'])
  expect(toWritableAddress(address)).toBe(address)
  expect(toWritableAddress({ ...address, city: '東京' })).toBeUndefined()
})

test('text with any characters is either carried in full by SEPA or refused', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 150, unit: 'grapheme' }), (text) => {
      try {
        checkSepaText(text)
      } catch (error) {
        expect(error).toMatchObject({ name: 'UnwritablePayment', part: 'remittanceInformation' })
        return
      }
      const [, written = ''] =
        /<Ustrd>(.*)<\/Ustrd>/.exec(writeSepaTransfer({ ...PAYMENT, remittanceInformation: text })) ?? []
      if (/^[A-Za-z0-9]*$/.test(text)) expect(written).toBe(text)
      expect(written.length).toBeLessThanOrEqual(140)
    }),
  )
  expect(() => checkSepaText('x'.repeat(140))).not.toThrow()
  expect(() => checkSepaText('x'.repeat(141))).toThrow('has 141 characters, but SEPA carries at most 140')
})

test('the same SEPA payments produce the same bytes, and their amounts, sums and ids are read back', async () => {
  const payments = fc.array(
    fc.record({
      instructionId: fc.stringMatching(/^[0-9a-f]{32}$/),
      endToEndId: fc.stringMatching(/^CS[0-9A-F]{12}$/),
      amount: fc.bigInt(1n, 99_999_999_999n),
      creditor: fc.record({
        name: fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ſ&<>'"]{1,90}$/).filter((name) => /[A-Za-z]/.test(name)),
        iban: fc.constantFrom('DE89370400440532013000', 'FR1420041010050500013M02606', 'NO9386011117947'),
      }),
      remittanceInformation: fc.stringMatching(/^[a-z0-9 &<>]{0,300}$/),
    }),
    { minLength: 1, maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(payments, async (sent) => {
      const total = sent.reduce((sum, { amount }) => sum + amount, 0n)
      const file = { count: sent.length, total }
      const xml = await write(file, sent)
      expect(await write(file, sent)).toBe(xml)
      const whole = await parseTree(xml)
      expect(listFaults(whole, SCHEMA)).toEqual([])
      const written = findElement(whole, 'PmtInf')!.children.filter(({ name }) => name === 'CdtTrfTxInf')
      const amounts = written.map((one) => parseUnits(findText(one, 'Amt/InstdAmt')!, 'EUR'))
      expect(amounts).toEqual(sent.map(({ amount }) => amount))
      expect(findText(whole, 'GrpHdr/CtrlSum')).toBe(formatDecimalAmount(total, 'EUR'))
      expect(findText(whole, 'PmtInf/CtrlSum')).toBe(formatDecimalAmount(total, 'EUR'))
      expect(findText(whole, 'GrpHdr/NbOfTxs')).toBe(String(sent.length))
      expect(written.map((one) => findText(one, 'PmtId/EndToEndId'))).toEqual(
        sent.map(({ endToEndId }) => endToEndId),
      )
    }),
    { numRuns: 60 },
  )
})

test('a SEPA transfer file is never completed if its payments do not match its header', async () => {
  await expect(write({ count: 2 })).rejects.toThrow(/1 payments of 125050, not 2/)
  await expect(write({ total: 1n })).rejects.toThrow(/of 125050, not 1 of 1/)
})

test.each<[string, Partial<SepaPayment>]>([
  ['amount', { amount: 0n }],
  ['amount', { amount: 100_000_000_000n }],
  ['IBAN', { creditor: { name: 'Ada', iban: 'DE89370400440532013001' } }],
  ['BIC', { creditor: { name: 'Ada', iban: 'DE89370400440532013000', bic: 'COBA' } }],
  ['name', { creditor: { name: '李小龍', iban: 'DE89370400440532013000' } }],
  ['name', { creditor: { name: '...', iban: 'DE89370400440532013000' } }],
  ['end-to-end id', { endToEndId: 'a//b' }],
  ['end-to-end id', { endToEndId: '/a' }],
  ['end-to-end id', { endToEndId: 'x'.repeat(36) }],
  ['end-to-end id', { endToEndId: 'ä' }],
  ['instruction id', { instructionId: '' }],
])('a SEPA payment with an invalid %s is refused before it is added to a file', (what, change) => {
  expect(() => writeSepaTransfer({ ...PAYMENT, ...change })).toThrow(UnwritablePayment)
  expect(() => writeSepaTransfer({ ...PAYMENT, ...change })).toThrow(what)
})

test('SEPA names are spelled in Latin letters, by the country of the account if several languages match', () => {
  const named = (name: string) => writeSepaTransfer({ ...PAYMENT, creditor: { ...PAYMENT.creditor, name } })
  expect(named('Ελένη Παπαδοπούλου')).toContain('<Nm>Eleni Papadopoulou</Nm>')
  expect(named('Георги Щерев')).toContain('<Nm>Georgi Shterev</Nm>')
  const serbian = { name: 'Душан Чолак', iban: 'RS35260005601001611379' }
  expect(writeSepaTransfer({ ...PAYMENT, creditor: serbian })).toContain('<Nm>Dusan Colak</Nm>')
  expect(named('Weiß, Jürgen')).toContain('<Nm>Weiss, Jurgen</Nm>')
})

test('amounts are converted exactly in currencies with two decimals and without decimals', () => {
  expect(formatDecimalAmount(5n, 'EUR')).toBe('0.05')
  expect(formatDecimalAmount(-5n, 'EUR')).toBe('-0.05')
  expect(formatDecimalAmount(500n, 'VND')).toBe('500')
  expect(parseUnits('1250.5', 'EUR')).toBe(125_050n)
  expect(parseUnits('1250.50000', 'EUR')).toBe(125_050n)
  expect(parseUnits('.5', 'EUR')).toBe(50n)
  for (const bad of ['1250.505', '-1', '1e3', '', '.', '1,5', '12345678901234567890', ' 1'])
    expect(() => parseUnits(bad, 'EUR')).toThrow(/amount/)
  expect(() => parseUnits('1', 'XAU')).toThrow(/not supported/)
})
