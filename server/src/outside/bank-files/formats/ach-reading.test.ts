import { expect, test } from 'vitest'
import { type CorrectedParts, splitCorrection } from './ach-corrections.ts'
import { type AchRecord, readAch } from './ach-reader.ts'
import { writeRecord } from './ach-records.ts'
import { readTwice } from './read-twice.ts'
import {
  answered,
  BATCH,
  bytesOf,
  CHANGED,
  PAYMENT,
  RETURNED,
  read,
  readAll,
  write,
} from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

test('a return says which payment came back, and why', async () => {
  expect(await read(await answered(RETURNED))).toEqual<AchRecord[]>([
    {
      type: 'return',
      entry: {
        entryClass: 'PPD',
        companyName: 'ACME PAYMENTS',
        companyId: '1123456789',
        description: 'RETURN',
        effectiveDate: '260303',
        settlementDate: '',
        batchNumber: '0000001',
        destination: '021000021',
        originatingBank: '02100002',
        receivingBank: '011401533',
        transactionCode: '22',
        account: '1234567890',
        amount: 125_050n,
        individualId: 'CS0A1B2C3D4E5F',
        name: 'Grace Hopper',
        trace: '021000020000001',
      },
      kind: 'RETURN',
      reason: 'R03',
      originalTrace: '021000020000001',
      originalReceivingBank: '01140153',
      dateOfDeath: null,
      information: 'NO SUCH NAME',
      returnTrace: null,
      returnReason: null,
      dishonoredTrace: null,
      dishonoredReason: null,
    },
  ])
})

test('a notification of change contains the correct data', async () => {
  expect(await read(await answered(CHANGED))).toMatchObject([
    { type: 'change', reason: 'C01', originalTrace: '021000020000001', corrected: '1918171614' },
  ])
})

const changed = (from: string | RegExp, to: string) => async () => (await write()).replace(from, to)
test.each<[string, () => Promise<string>, RegExp]>([
  ['nothing in it', async () => '', /ends before/],
  ['a line missing', changed(/^6.*\n/m, ''), /entries are 2, and they are 1/],
  ['its last lines missing', async () => (await write()).split('\n').slice(0, 5).join('\n'), /ends before/],
  ['a line cut off', async () => (await write()).slice(0, 300), /ends before/],
  ['a wrong entry count', changed('82200000020', '82200000030'), /entries are 3, and they are 2/],
  ['a wrong hash', changed('0001140153', '0001140154'), /hash/],
  ['a changed amount', changed('0000125050CS', '0000125051CS'), /credits are 125050, and they are 125051/],
  ['a changed sum of the file', changed(/^(9000001.*)125050/m, '$1125051'), /credits/],
  ['lines after its end', changed(/9{94}/, 'x'.repeat(94)), /continues after/],
  ['addenda announced and missing', changed(/^705.*\n/m, ''), /entries are 2, and they are 1/],
  ['a batch in a batch', changed(/^(5220.*)$/m, '$1\n$1'), /inside another/],
  ['no header', changed(/^101.*\n/m, ''), /header/],
  ['no end of its batch', changed(/^822.*\n/m, ''), /ends inside a batch/],
  ['letters as a sum', changed(/^(9000001.*)125050/m, '$112505x'), /no number as its credits/],
])('a file with %s is refused, and yields none of its records', async (_, make, message) => {
  const text = await make()
  const given: AchRecord[] = []
  const reading = (async () => {
    for await (const record of readTwice(() => bytesOf(text), readAch)) given.push(record)
  })()
  await expect(reading).rejects.toThrow(UnreadableFile)
  await expect(reading).rejects.toThrow(message)
  expect(given).toEqual([])
})

test('lines may end in every way that banks end them, and come in whatever pieces', async () => {
  const text = await answered(RETURNED)
  const found = await read(text)
  expect(await read(text.replaceAll('\n', '\r\n'), 1)).toEqual(found)
  expect(await read(text.replaceAll('\n', '\r'), 7)).toEqual(found)
  expect(await read(text.replaceAll('\n', ''), 93)).toEqual(found)
})

test.each<[string, (text: string) => string]>([
  ['trims its lines', (text) => text.replaceAll(/ +$/gm, '')],
  ['leaves out the lines of nines', (text) => text.replaceAll(/^9{94}\n/gm, '')],
  ['has more lines of nines than a block', (text) => text + `${'9'.repeat(94)}\n`.repeat(7)],
  ['trims its lines of nines', (text) => text.replaceAll(/^9{94}$/gm, '9')],
  ['counts its blocks wrongly', (text) => text.replace('9000001000001', '9000001000007')],
  [
    'has the company in other columns of the control',
    (text) => text.replace(/^(822.*)1123456789 /m, '$1 1123456789'),
  ],
  ['has another company in the control', (text) => text.replace(/^(822.*)1123456789/m, '$19923456789')],
  ['begins with a byte order mark', (text) => `\ufeff${text}`],
  ['begins with a blank line', (text) => `\n \r\n${text}`],
  ['ends with Ctrl-Z', (text) => `${text}\u001a`],
  ['ends with zero bytes', (text) => text + '\0'.repeat(500)],
  ['ends without an end of its last line', (text) => text.trimEnd()],
  ['says an addendum is missing that is there', (text) => text.replace(/^(6.*)1(.{15})$/m, '$10$2')],
  ['has numbers with spaces for zeros', (text) => text.replace(/^(8220)00000(2)/m, '$1     $2')],
])('a file is read as if it were in order if the bank %s', async (_, change) => {
  const text = await write()
  const found = await read(text)
  expect(await read(change(text), 13)).toEqual(found)
})

test('a number of batches that the entries contradict waits, because all entries are there', async () => {
  expect(await read(await changed('9000001000001', '9000002000001')())).toMatchObject([
    { type: 'entry' },
    { type: 'unread', line: 6, reason: 'line 6: says that its batches are 000002, and they are 1' },
  ])
})

test('a file of several files yields the entries of each after its header', async () => {
  const text = await write()
  const records = await readAll(text + text.replace('0930A', '1030B'))
  expect(records.map(({ type }) => type)).toEqual(['head', 'entry', 'head', 'entry'])
  expect(records[2]).toEqual({
    type: 'head',
    head: {
      destination: '021000021',
      origin: '1123456789',
      createdOn: '260302',
      createdAt: '1030',
      modifier: 'B',
      destinationName: 'JPMORGAN CHASE',
      originName: 'ACME PAYMENTS',
      reference: '00000001',
    },
  })
})

test.each<[string, (text: string) => string | Uint8Array, string]>([
  [
    'windows-1252',
    (text) => Buffer.from(text.replace('Grace Hopper', 'Gr\u00e2ce H\u00f6pper'), 'latin1'),
    'Grâce Höpper',
  ],
  ['UTF-8', (text) => text.replace('Grace Hopper', 'Grâce Höpper'), 'Grâce Höpper'],
  ['a zero byte', (text) => text.replace('Grace', 'Gr\0ce'), 'Gr\ufffdce Hopper'],
])('a name in %s spoils no column', async (_, change, name) => {
  expect(await read(change(await write()))).toMatchObject([
    { type: 'entry', entry: { name, trace: '021000020000001', amount: 125_050n } },
  ])
})

test.each<[string, (text: string) => string, RegExp, bigint | null]>([
  [
    'letters as its amount',
    (text) => text.replace('0000125050CS', '000012505xCS'),
    /amount "000012505x"/,
    null,
  ],
  ['letters as its code', (text) => text.replace(/^622/m, '6A2'), /transaction code "A2"/, null],
  [
    'letters as its bank',
    (text) => text.replace(/^62201140153/m, '622O1140153'),
    /routing number "O1140153"/,
    null,
  ],
  [
    'the code of a return and no reason',
    (text) => text.replace(/^622/m, '621'),
    /return or a change without/,
    125_050n,
  ],
  ['the class IAT', (text) => text.replace('PPDPAYOUT', 'IATPAYOUT'), /international payment/, 125_050n],
])('an entry with %s waits, and the others are read', async (_, change, reason, amount) => {
  const second = { ...PAYMENT, traceSequence: 2, amount: 500n }
  const text = await write([BATCH, { ...BATCH, entryClass: 'CCD', payments: [second] }])
  const records = await read(change(text))
  expect(records).toMatchObject([
    { type: 'unread', line: 3, amount, currency: amount === null ? null : 'USD' },
    { type: 'entry', entry: { amount: 500n, entryClass: 'CCD' } },
  ])
  expect(records[0]?.type === 'unread' ? records[0].reason : '').toMatch(reason)
})

test('an entry with a column missing waits, and nothing of it is taken for an amount', async () => {
  const text = (await write()).replace('1234567890       0000125050', '1234567890      0000125050')
  expect(await read(text)).toMatchObject([{ type: 'unread', line: 3, amount: null }])
})

test('an amount that cannot be read does not hide that the others are more than the control says', async () => {
  const second = { ...PAYMENT, traceSequence: 2, amount: 500n }
  const text = (await write([{ ...BATCH, payments: [PAYMENT, second] }])).replace(
    '0000125050CS',
    '000012505xCS',
  )
  expect(await read(text)).toMatchObject([{ type: 'unread' }, { type: 'entry', entry: { amount: 500n } }])
  await expect(read(text.replaceAll('000000125550', '000000000499'))).rejects.toThrow(/credits are 499/)
})

test('a line of no kind waits, and the sums hold for what was read', async () => {
  const broken = (await write()).replace(/^622/m, 'X22').replace(/^705.*\n/m, '')
  const one = await read(broken.replaceAll('00000200011401', '00000100011401'))
  expect(one).toMatchObject([{ type: 'unread', reason: 'line 3: begins with "X", which no record does' }])
})

test('traces of rejected batches, which begin with REJ, are read', async () => {
  const text = (await write()).replace(/^(6.{78})021000020000001$/m, '$1REJ010020000001')
  expect(await read(text)).toMatchObject([{ type: 'entry', entry: { trace: 'REJ010020000001' } }])
})

test('a return is recognised wherever its addenda record stands', async () => {
  const text = (await write())
    .replace(/^(705.*)$/m, `$1\n${RETURNED}`)
    .replace('82200000020', '82200000030')
    .replace(/^(9.{12})00000002/m, '$100000003')
  expect(await read(text)).toMatchObject([{ type: 'return', reason: 'R03', kind: 'RETURN' }])
})

test('addenda are joined with and without spaces, because a reference may be broken between two', async () => {
  const long = `${'x'.repeat(76)}CS0A1B2C3D4E5F`
  const second = writeRecord('addenda', {
    type: '05',
    text: long.slice(80),
    sequence: 2,
    entrySequence: '0000001',
  })
  const text = (await write([{ ...BATCH, payments: [{ ...PAYMENT, remittanceInformation: long }] }]))
    .replace(/^(705.*)$/m, `$1\n${second}`)
    .replace('82200000020', '82200000030')
    .replace(/^(9.{12})00000002/m, '$100000003')
  const [record] = await read(text)
  const texts = record?.type === 'entry' ? record.references : []
  expect(texts[0]).toEqual({ where: 'individualId', text: 'CS0A1B2C3D4E5F' })
  expect(texts.map(({ text }) => text)).toContain(long)
  expect(texts.map(({ text }) => text)).toContain(`${long.slice(0, 80)} ${long.slice(80)}`)
})

test('dishonored and contested returns name the return that they are about', async () => {
  const dishonored = writeRecord('dishonoredAddenda', {
    type: '99',
    reason: 'R68',
    originalTrace: '021000020000001',
    originalReceivingBank: '01140153',
    returnTrace: '011401530000009',
    returnSettlementDate: '062',
    returnReason: '03',
    information: 'UNTIMELY',
    trace: '021000020000002',
  })
  expect(await read(await answered(dishonored))).toMatchObject([
    {
      type: 'return',
      kind: 'DISHONORED',
      reason: 'R68',
      returnTrace: '011401530000009',
      returnReason: 'R03',
      information: 'UNTIMELY',
    },
  ])
  const contested = writeRecord('contestedAddenda', {
    type: '99',
    reason: 'R73',
    originalTrace: '021000020000001',
    originalReceivingBank: '01140153',
    returnTrace: '011401530000009',
    returnReason: '03',
    dishonoredTrace: '021000020000002',
    dishonoredReason: '68',
    trace: '011401530000010',
  })
  expect(await read(await answered(contested))).toMatchObject([
    {
      type: 'return',
      kind: 'CONTESTED',
      reason: 'R73',
      returnReason: 'R03',
      dishonoredTrace: '021000020000002',
      dishonoredReason: 'R68',
    },
  ])
})

test.each<[string, string, CorrectedParts]>([
  ['C01', '1918171614', { account: '1918171614' }],
  ['C02', '021000021', { routingNumber: '021000021' }],
  ['C03', '021000021   1918171614', { routingNumber: '021000021', account: '1918171614' }],
  ['C03', '021000021 1918171614', { routingNumber: '021000021', account: '1918171614' }],
  ['C04', 'GRACE B HOPPER', { name: 'GRACE B HOPPER' }],
  ['C05', '32', { transactionCode: '32' }],
  ['C06', '1918171614          32', { account: '1918171614', transactionCode: '32' }],
  ['C06', '1918171614 32', { account: '1918171614', transactionCode: '32' }],
  [
    'C07',
    '0210000211918171614       32',
    { routingNumber: '021000021', account: '1918171614', transactionCode: '32' },
  ],
  ['C09', 'CS0A1B2C3D4E5F', { individualId: 'CS0A1B2C3D4E5F' }],
  ['C13', 'ANYTHING', {}],
])('a notification of change %s with "%s" says each part that is right', (reason, corrected, parts) => {
  expect(splitCorrection(reason, corrected)).toEqual(parts)
})
