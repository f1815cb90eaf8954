import { expect, test } from 'vitest'
import { type IsoRecord, readIsoMessages } from './iso-messages.ts'
import { readTwice } from './read-twice.ts'
import { all, bytesOf, camtFile, type SampleEntry } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

const ENTRY: SampleEntry = {
  amount: '100.00',
  direction: 'CRDT',
  transactions: [{ endToEndId: 'RF18', amount: '100.00', debtor: 'Jürgen Müller', text: 'für Konto 7' }],
}
const GOOD = camtFile({ balances: ['0.00', '100.00'], entries: [ENTRY] })
const DOCUMENT = GOOD.replace(/^<\?xml.*\?>\n/, '')

const read = (file: string | Uint8Array, pieceBytes = 61): Promise<IsoRecord[]> =>
  all(readTwice(() => bytesOf(file, pieceBytes), readIsoMessages))

test.each<[string, string]>([
  [
    'a business message envelope',
    `<BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:nvlp.001.001.01"><Hdr><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizMsgIdr>1</BizMsgIdr></AppHdr></Hdr><Doc>${DOCUMENT}</Doc></BizMsgEnvlp>`,
  ],
  [
    'an envelope of a bank',
    `<?xml version="1.0"?><x:Envelope xmlns:x="urn:bank"><x:Body>text${DOCUMENT}</x:Body></x:Envelope>`,
  ],
  [
    'a header before the document',
    `<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><Fr/></AppHdr>${DOCUMENT}`,
  ],
  [
    'a signature of the document inside it',
    GOOD.replace(
      '<BkToCstmrStmt>',
      '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X/></ds:Signature><BkToCstmrStmt>',
    ),
  ],
  [
    'a stylesheet',
    GOOD.replace('?>', '?>\n<?xml-stylesheet type="text/xsl" href="http://bank.example/camt.xsl"?>'),
  ],
  ['a comment of 10,000 characters before its root', GOOD.replace('?>', `?><!--${'x'.repeat(10_000)}-->`)],
  ['blank lines before its declaration', `\r\n  \n${GOOD}`],
  ['a byte order mark and a blank line', `\ufeff\n${GOOD}`],
  ['Ctrl-Z and zero bytes at its end', `${GOOD}\u001a\0\0\0`],
  ['no declaration', DOCUMENT],
  [
    'a prefix for every element',
    DOCUMENT.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1ns2:').replace(' xmlns=', ' xmlns:ns2='),
  ],
  ['lines that end with carriage return and line feed', GOOD.replaceAll('\n', '\r\n')],
])('%s does not change how a camt file is read', async (_, file) => {
  const found = await read(GOOD)
  expect(found).toHaveLength(3)
  expect(await read(file)).toEqual(found)
  expect(await read(file, 5_000)).toEqual(found)
})

test('every version of camt.052, camt.053 and camt.054 from .02 to .13 is read', async () => {
  for (const message of ['camt.052', 'camt.053', 'camt.054'])
    for (let version = 2; version <= 13; version += 1) {
      const name = `${message}.001.${String(version).padStart(2, '0')}`
      expect(await read(GOOD.replace('camt.053.001.08', name), 5_000)).toHaveLength(3)
    }
})

test.each([
  ['two concatenated files', GOOD + GOOD.replaceAll('STMT-1', 'STMT-2')],
  ['two documents in one envelope', `<All>${DOCUMENT}${DOCUMENT.replaceAll('STMT-1', 'STMT-2')}</All>`],
])('%s are both read', async (_, file) => {
  const records = await read(file)
  expect(records.map((one) => one.of === 'ACCOUNT' && one.record.statement?.id)).toEqual([
    ...Array(3).fill('STMT-1'),
    ...Array(3).fill('STMT-2'),
  ])
})

test('a camt statement in a foreign namespace waits for manual review, and the others of its message are read', async () => {
  const records = await read(
    GOOD.replace('<Stmt>', '<x:Stmt xmlns:x="urn:else"><x:Id>9</x:Id></x:Stmt><Stmt>'),
  )
  expect(records.map(({ of }) => of)).toEqual(['UNREAD', 'ACCOUNT', 'ACCOUNT', 'ACCOUNT'])
})

test('an unsupported ISO 20022 document waits for manual review, and the others of its envelope are read', async () => {
  const order =
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>'
  const records = await read(`<All>${order}${DOCUMENT}</All>`)
  expect(records.map(({ of }) => of)).toEqual(['UNREAD', 'ACCOUNT', 'ACCOUNT', 'ACCOUNT'])
  expect(records[0]).toMatchObject({
    record: { place: 'document 1', raw: expect.stringContaining('pain.001.001.09') },
  })
  await expect(read(order)).rejects.toThrow(UnreadableFile)
})

const declare = (encoding: string) => GOOD.replace('UTF-8', encoding)
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
/** Encodes a string in a single-byte encoding. `others` maps characters beyond ASCII to bytes. */
const singleBytes = (text: string, others: Readonly<Record<string, number>>) =>
  Buffer.from([...text].map((character) => others[character] ?? character.charCodeAt(0)))
const withEuro = (text: string) => text.replace('für Konto 7', 'für 5 €')

test.each<[string, string | Uint8Array, string]>([
  ['UTF-8', withEuro(GOOD), 'für 5 €'],
  ['ISO-8859-1', Buffer.from(declare('ISO-8859-1'), 'latin1'), 'für Konto 7'],
  ['windows-1252', singleBytes(withEuro(declare('windows-1252')), { '€': 0x80 }), 'für 5 €'],
  [
    'ISO-8859-1 with letters of windows-1252',
    singleBytes(withEuro(declare('ISO-8859-1')), { '€': 0x80 }),
    'für 5 €',
  ],
  ['ISO-8859-15', singleBytes(withEuro(declare('ISO-8859-15')), { '€': 0xa4 }), 'für 5 €'],
  ['little-endian UTF-16', utf16(`\ufeff${withEuro(declare('UTF-16'))}`), 'für 5 €'],
  ['big-endian UTF-16', utf16(`\ufeff${withEuro(declare('UTF-16'))}`).swap16(), 'für 5 €'],
  ['UTF-16 without a byte order mark', utf16(declare('UTF-16')), 'für Konto 7'],
  ['UTF-8 that is declared as UTF-16', declare('UTF-16'), 'für Konto 7'],
])('a camt file in %s is read with the correct letters', async (_, file, text) => {
  for (const pieceBytes of [1, 3, 1_000_000]) {
    const records = await read(file, pieceBytes)
    expect(records[0]).toMatchObject({
      record: { transaction: { debtor: { name: 'Jürgen Müller' }, remittanceInformation: text } },
    })
  }
})

test('an invalid UTF-8 byte spoils at most one letter of a camt file', async () => {
  const bytes = Buffer.from(GOOD)
  const place = bytes.indexOf('Jürgen')
  const wrong = Buffer.concat([bytes.subarray(0, place + 1), Buffer.of(0xfc), bytes.subarray(place + 3)])
  for (const pieceBytes of [1, 7, 1_000_000])
    expect((await read(wrong, pieceBytes))[0]).toMatchObject({
      record: { transaction: { debtor: { name: 'Jürgen Müller' } } },
    })
})

test('a control character in a text does not prevent a camt file from being read', async () => {
  expect((await read(GOOD.replace('für Konto', 'für\u0003Konto')))[0]).toMatchObject({
    record: { transaction: { remittanceInformation: 'für\ufffdKonto 7' } },
  })
})
