import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBacsReference } from '../../../base/formats/bacs-reference.ts'
import { toBacsName } from './bacs-text.ts'
import {
  BACS_AMOUNT_MAX,
  type BacsCode,
  type BacsFile,
  type BacsItem,
  writeBacs,
  writeBacsRecord,
} from './bacs-writer.ts'
import { UnwritablePayment } from './unreadable-file.ts'

const ORIGINATOR = {
  serviceUserNumber: '123456',
  name: 'Acme Ltd',
  sortCode: '601613',
  accountNumber: '12345678',
}
const FILE: BacsFile = {
  originator: ORIGINATOR,
  madeOn: '2026-08-14',
  processedOn: '2026-08-21',
  number: 7n,
  narrative: 'ACME LTD',
}

async function* each(items: readonly BacsItem[]): AsyncGenerator<BacsItem> {
  yield* items
}

async function writeLines(items: readonly BacsItem[], file = FILE): Promise<string[]> {
  let text = ''
  for await (const piece of writeBacs(file, each(items))) text += piece
  expect(text.endsWith('\r\n')).toBe(true)
  return text.split('\r\n').slice(0, -1)
}

const credit = (changes: Partial<BacsItem> = {}): BacsItem => ({
  ...{ code: '99', sortCode: '204512', account: '12345678', amount: 250_000n },
  ...{ reference: 'PAY EMP-0001', name: 'Ada Widget' },
  ...changes,
})

test('a Bacs credit file matches the published layout of other implementations byte for byte', async () => {
  const second = { sortCode: '601613', account: '87654321', amount: 182_150n, reference: 'PAY EMP-0002' }
  expect(await writeLines([credit(), credit({ ...second, name: 'Bo Saver' })])).toEqual([
    'VOL1000007                               123456                                1',
    'HDR1A123456S   12345600000700010001       26226 26240 000000                    ',
    'HDR2F0200000100                                   00                            ',
    'UHL1 26233999999    000000001 DAILY  007                                        ',
    '2045121234567809960161312345678    00000250000ACME LTD          PAY EMP-0001      ADA WIDGET        ',
    '6016138765432109960161312345678    00000182150ACME LTD          PAY EMP-0002      BO SAVER          ',
    '6016131234567801760161312345678    00000432150ACME LTD          CONTRA            ACME LTD          ',
    'EOF1A123456S   12345600000700010001       26226 26240 000000                    ',
    'EOF2F0200000100                                   00                            ',
    'UTL10000000432150000000043215000000010000002                                    ',
  ])
})

test('Bacs instructions move no money, have no contra record and are counted separately', async () => {
  const lines = await writeLines([
    credit({ code: '0N', amount: 0n, reference: 'MANDATE-1' }),
    credit({ code: '0C', amount: 0n, reference: 'MANDATE-2' }),
  ])
  expect(lines.slice(4)).toEqual([
    '2045121234567800N60161312345678    00000000000ACME LTD          MANDATE-1         ADA WIDGET        ',
    '2045121234567800C60161312345678    00000000000ACME LTD          MANDATE-2         ADA WIDGET        ',
    expect.stringMatching(/^EOF1/),
    expect.stringMatching(/^EOF2/),
    'UTL10000000000000000000000000000000000000000        0000002                     ',
  ])
})

const CODES = { credits: ['99'], debits: ['01', '17', '19'], instructions: ['0N', '0C'] } as const
const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))

test('every Bacs file can be read back with its items and matching sums and counts', async () => {
  const itemsWith = (codes: readonly BacsCode[], isInstruction: boolean) =>
    fc.array(
      fc.record({
        code: fc.constantFrom(...codes),
        sortCode: digits(6),
        account: digits(8),
        amount: isInstruction ? fc.constant(0n) : fc.bigInt({ min: 1n, max: 1_000_000n }),
        reference: fc.stringMatching(/^[A-Z0-9]([A-Z0-9.&/ -]{0,16}[A-Z0-9])?$/),
        name: fc.stringMatching(/^[A-Z0-9]([A-Z0-9./-]{0,16}[A-Z0-9])?$/),
      }),
      { minLength: 1, maxLength: 20 },
    )
  const files = fc.oneof(
    itemsWith(CODES.credits, false),
    itemsWith(CODES.debits, false),
    itemsWith(CODES.instructions, true),
  )
  await fc.assert(
    fc.asyncProperty(files, fc.bigInt({ min: 1n, max: 99_999_999n }), async (items, number) => {
      const lines = await writeLines(items, { ...FILE, number })
      const records = lines.filter((line) => !/^(?:VOL|HDR|UHL|EOF|UTL)1?/.test(line))
      expect(lines.every((line) => line.length === (records.includes(line) ? 100 : 80))).toBe(true)
      expect(records.slice(0, items.length).map(read)).toEqual(items)
      const sum = items.reduce((total, { amount }) => total + amount, 0n)
      const balance = read(records[items.length] ?? ''.padEnd(100, '0'))
      expect(records.length - items.length).toBe(sum > 0n ? 1 : 0)
      if (sum > 0n) expect([balance.reference, balance.amount]).toEqual(['CONTRA', sum])
      const [, debits, credits] = /^UTL1(\d{13})(\d{13})/.exec(lines.at(-1) ?? '') ?? []
      expect([BigInt(debits ?? -1), BigInt(credits ?? -1)]).toEqual([sum, sum])
      expect(lines[0]?.slice(4, 10)).not.toBe('000000')
    }),
    { numRuns: 300 },
  )
})

/** Parses a record by its character positions. */
function read(record: string): BacsItem {
  const field = (from: number, to: number) => record.slice(from - 1, to)
  return {
    code:
      Object.values(CODES)
        .flat()
        .find((code) => code === field(16, 17)) ?? '99',
    sortCode: field(1, 6),
    account: field(7, 14),
    amount: BigInt(field(36, 46)),
    reference: field(65, 82).trimEnd(),
    name: field(83, 100).trimEnd(),
  }
}

test('content that a Bacs record cannot carry is refused with the affected field', () => {
  const refusals = [
    [{ sortCode: '20-45-12' }, 'the sort code must have 6 digits', 'account'],
    [{ account: '1234567' }, 'the account number must have 8 digits', 'account'],
    [{ amount: 0n }, 'the amount must be between', 'amount'],
    [{ amount: BACS_AMOUNT_MAX + 1n }, 'the amount must be between', 'amount'],
    [{ code: '0N', amount: 1n }, 'the amount must be between', 'amount'],
    [{ reference: 'lower' }, 'the reference must have 1 to 18', 'account'],
    [{ name: '李小龍' }, 'contains the character 李', 'account'],
    [{ name: '***' }, 'has no letter or digit', 'account'],
  ] as const
  for (const [changes, message, part] of refusals) {
    let thrown: unknown
    try {
      writeBacsRecord(credit(changes), ORIGINATOR)
    } catch (error) {
      thrown = error
    }
    expect(thrown, message).toBeInstanceOf(UnwritablePayment)
    expect(thrown).toMatchObject({ message: expect.stringContaining(message), part })
  }
})

test('a Bacs file with too large a sum, or with both credits and debits, is refused', async () => {
  const large = credit({ amount: BACS_AMOUNT_MAX })
  await expect(writeLines([large, large])).rejects.toThrow(RangeError)
  await expect(writeLines([credit(), credit({ code: '17' })])).rejects.toThrow(RangeError)
})

test('Bacs names lose unsupported diacritics and signs, and are truncated', () => {
  expect(toBacsName("Zoë O'Neill-Łukasz", 'name')).toBe('ZOE O NEILL-LUKASZ')
  expect(toBacsName('Müller & Söhne Handelsgesellschaft', 'name')).toBe('MULLER & SOHNE HAN')
})

test('a Bacs mandate reference has 6 to 18 characters, not all equal, and no reserved prefix', () => {
  for (const good of ['MANDATE-1', 'AB.12/34', 'X'.repeat(17).concat('1')])
    expect(isBacsReference(good)).toBe(true)
  for (const bad of ['SHORT', 'lower-1', 'AAAAAA', 'DDIC-1234', 'A'.repeat(19), '-ABCDEF', 'A B C D'])
    expect(isBacsReference(bad), bad).toBe(false)
})
