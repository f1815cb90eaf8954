import { expect, test } from 'vitest'
import { type CorrectedParts, splitCorrection } from './ach-corrections.ts'
import { type AchRecord, readAch } from './ach-reader.ts'
import { writeRecord } from './ach-records.ts'
import { readTwice } from './read-twice.ts'
import {
  BATCH,
  buildReturnedFile,
  bytesOf,
  CHANGED,
  PAYMENT,
  RETURNED,
  read,
  readAll,
  write,
} from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

test('an ACH return identifies the returned payment and the reason', async () => {
  expect(await read(await buildReturnedFile(RETURNED))).toEqual<AchRecord[]>([
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

test('an ACH notification of change contains the corrected data', async () => {
  expect(await read(await buildReturnedFile(CHANGED))).toMatchObject([
    { type: 'change', reason: 'C01', originalTrace: '021000020000001', corrected: '1918171614' },
  ])
})

const changed = (from: string | RegExp, to: string) => async () => (await write()).replace(from, to)
test.each<[string, () => Promise<string>, RegExp]>([
  ['no content', async () => '', /ends before/],
  ['a missing line', changed(/^6.*\n/m, ''), /states 2 as its number of entries, but has 1/],
  ['its last lines missing', async () => (await write()).split('\n').slice(0, 5).join('\n'), /ends before/],
  ['a truncated line', async () => (await write()).slice(0, 300), /ends before/],
  [
    'a wrong entry count',
    changed('82200000020', '82200000030'),
    /states 3 as its number of entries, but has 2/,
  ],
  ['a wrong hash', changed('0001140153', '0001140154'), /hash/],
  [
    'a changed amount',
    changed('0000125050CS', '0000125051CS'),
    /states 125050 as its sum of credits, but has 125051/,
  ],
  ['a changed file total', changed(/^(9000001.*)125050/m, '$1125051'), /credits/],
  ['lines after its end', changed(/9{94}/, 'x'.repeat(94)), /continues after/],
  ['missing addenda', changed(/^705.*\n/m, ''), /states 2 as its number of entries, but has 1/],
  ['a batch inside a batch', changed(/^(5220.*)$/m, '$1\n$1'), /inside another/],
  ['no header', changed(/^101.*\n/m, ''), /header/],
  ['no end of its batch', changed(/^822.*\n/m, ''), /ends inside a batch/],
  ['letters as a sum', changed(/^(9000001.*)125050/m, '$112505x'), /no number as its sum of credits/],
])('a NACHA file with %s is refused and yields no records', async (_, make, message) => {
  const text = await make()
  const yielded: AchRecord[] = []
  const reading = (async () => {
    for await (const record of readTwice(() => bytesOf(text), readAch)) yielded.push(record)
  })()
  await expect(reading).rejects.toThrow(UnreadableFile)
  await expect(reading).rejects.toThrow(message)
  expect(yielded).toEqual([])
})

test('a NACHA file is read with any line breaks and in chunks of any size', async () => {
  const text = await buildReturnedFile(RETURNED)
  const found = await read(text)
  expect(await read(text.replaceAll('\n', '\r\n'), 1)).toEqual(found)
  expect(await read(text.replaceAll('\n', '\r'), 7)).toEqual(found)
  expect(await read(text.replaceAll('\n', ''), 93)).toEqual(found)
})

test.each<[string, (text: string) => string]>([
  ['trims its lines', (text) => text.replaceAll(/ +$/gm, '')],
  ['omits the lines of nines', (text) => text.replaceAll(/^9{94}\n/gm, '')],
  ['adds more lines of nines than a block', (text) => text + `${'9'.repeat(94)}\n`.repeat(7)],
  ['trims its lines of nines', (text) => text.replaceAll(/^9{94}$/gm, '9')],
  ['counts its blocks wrongly', (text) => text.replace('9000001000001', '9000001000007')],
  [
    'writes the company id in other columns of the control record',
    (text) => text.replace(/^(822.*)1123456789 /m, '$1 1123456789'),
  ],
  [
    'has another company id in the control record',
    (text) => text.replace(/^(822.*)1123456789/m, '$19923456789'),
  ],
  ['begins with a byte order mark', (text) => `\ufeff${text}`],
  ['begins with a blank line', (text) => `\n \r\n${text}`],
  ['ends with Ctrl-Z', (text) => `${text}\u001a`],
  ['ends with zero bytes', (text) => text + '\0'.repeat(500)],
  ['omits the last line break', (text) => text.trimEnd()],
  ['states that an existing addenda record is missing', (text) => text.replace(/^(6.*)1(.{15})$/m, '$10$2')],
  ['pads numbers with spaces instead of zeros', (text) => text.replace(/^(8220)00000(2)/m, '$1     $2')],
])('a NACHA file is read normally if the bank %s', async (_, change) => {
  const text = await write()
  const found = await read(text)
  expect(await read(change(text), 13)).toEqual(found)
})

test('a wrong number of batches waits for manual review, but the file is read, because all entries are present', async () => {
  expect(await read(await changed('9000001000001', '9000002000001')())).toMatchObject([
    { type: 'entry' },
    { type: 'unread', line: 6, reason: 'line 6: states 000002 as its number of batches, but has 1' },
  ])
})

test('concatenated NACHA files yield each header followed by its entries', async () => {
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
])('a name in %s does not shift the columns of a NACHA entry', async (_, change, name) => {
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
  ['letters as its transaction code', (text) => text.replace(/^622/m, '6A2'), /transaction code "A2"/, null],
  [
    'letters as its routing number',
    (text) => text.replace(/^62201140153/m, '622O1140153'),
    /routing number "O1140153"/,
    null,
  ],
  [
    'a return code but no reason',
    (text) => text.replace(/^622/m, '621'),
    /return or a change without/,
    125_050n,
  ],
  ['the class IAT', (text) => text.replace('PPDPAYOUT', 'IATPAYOUT'), /international payment/, 125_050n],
])(
  'a NACHA entry with %s waits for manual review, and the others are read',
  async (_, change, reason, amount) => {
    const second = { ...PAYMENT, traceSequence: 2, amount: 500n }
    const text = await write([BATCH, { ...BATCH, entryClass: 'CCD', payments: [second] }])
    const records = await read(change(text))
    expect(records).toMatchObject([
      { type: 'unread', line: 3, amount, currency: amount === null ? null : 'USD' },
      { type: 'entry', entry: { amount: 500n, entryClass: 'CCD' } },
    ])
    expect(records[0]?.type === 'unread' ? records[0].reason : '').toMatch(reason)
  },
)

test('a NACHA entry with a missing column waits for manual review without an amount', async () => {
  const text = (await write()).replace('1234567890       0000125050', '1234567890      0000125050')
  expect(await read(text)).toMatchObject([{ type: 'unread', line: 3, amount: null }])
})

test('an unreadable NACHA amount does not hide that the other amounts exceed the control record', async () => {
  const second = { ...PAYMENT, traceSequence: 2, amount: 500n }
  const text = (await write([{ ...BATCH, payments: [PAYMENT, second] }])).replace(
    '0000125050CS',
    '000012505xCS',
  )
  expect(await read(text)).toMatchObject([{ type: 'unread' }, { type: 'entry', entry: { amount: 500n } }])
  await expect(read(text.replaceAll('000000125550', '000000000499'))).rejects.toThrow(
    /states 499 as its sum of credits/,
  )
})

test('a NACHA line of unknown type waits for manual review, and the control sums still apply to the other lines', async () => {
  const broken = (await write()).replace(/^622/m, 'X22').replace(/^705.*\n/m, '')
  const one = await read(broken.replaceAll('00000200011401', '00000100011401'))
  expect(one).toMatchObject([
    { type: 'unread', reason: 'line 3: begins with "X", which is not a record type' },
  ])
})

test('trace numbers of rejected batches, which begin with REJ, are read', async () => {
  const text = (await write()).replace(/^(6.{78})021000020000001$/m, '$1REJ010020000001')
  expect(await read(text)).toMatchObject([{ type: 'entry', entry: { trace: 'REJ010020000001' } }])
})

test('an ACH return is recognized at any position of its addenda record', async () => {
  const text = (await write())
    .replace(/^(705.*)$/m, `$1\n${RETURNED}`)
    .replace('82200000020', '82200000030')
    .replace(/^(9.{12})00000002/m, '$100000003')
  expect(await read(text)).toMatchObject([{ type: 'return', reason: 'R03', kind: 'RETURN' }])
})

test('addenda are joined with and without spaces, because a reference may span two records', async () => {
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

test('dishonored and contested ACH returns identify the original return', async () => {
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
  expect(await read(await buildReturnedFile(dishonored))).toMatchObject([
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
  expect(await read(await buildReturnedFile(contested))).toMatchObject([
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
])(
  'the corrected data of a notification of change %s with "%s" is split into fields',
  (reason, corrected, parts) => {
    expect(splitCorrection(reason, corrected)).toEqual(parts)
  },
)
