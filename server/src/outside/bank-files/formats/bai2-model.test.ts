import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bai2File, read, refusal } from './bai2.testing.ts'
import { classifyTypeCode } from './bai2-type-codes.ts'
import { entriesOf, pickStatements, pickUnread, transactionsOf } from './samples.testing.ts'

/** A model of files, from which the expected records follow. */
const reference = fc.stringMatching(/^[A-Z0-9-]{0,16}$/)
const text = fc
  .string({ unit: fc.constantFrom(...'ABCabc019,/ .:-'), minLength: 1, maxLength: 60 })
  .map((one) => one.trim())
  .filter((one) => one !== '')
const amount = fc.bigInt({ min: 1n, max: 10n ** 12n })
const funds = fc.constantFrom(
  ...[[''], ['0'], ['1'], ['2'], ['Z'], ['V', '261130', ''], ['V', '261201', '9999'], ['V', '', '']],
  ...[
    ['S', '1', '2', '3'],
    ['S', '', '', ''],
    ['D', '2', '0', '50', '1', '50'],
    ['D', '0'],
  ],
)
const account = fc.record({
  account: fc.stringMatching(/^\d{1,12}$/),
  currency: fc.constantFrom('', 'USD', 'JPY', 'KWD', 'EUR'),
  opening: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
  transactions: fc.array(
    fc.record({
      code: fc.constantFrom(
        '142',
        '165',
        '195',
        '257',
        '301',
        '399',
        '451',
        '495',
        '557',
        '698',
        '925',
        '965',
      ),
      amount,
      funds,
      bank: reference,
      customer: reference,
      texts: fc.array(text, { maxLength: 4 }),
    }),
    { maxLength: 5 },
  ),
})
const groups = fc.array(
  fc.record({
    date: fc.constantFrom('261124', '261125', '280229'),
    currency: fc.constantFrom('', 'USD', 'GBP'),
    modifier: fc.constantFrom('', '2', '4'),
    accounts: fc.array(account, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
)
const layout = fc.record({
  fieldsMax: fc.constantFrom(2, 3, 5, 1_000),
  isTextBelow: fc.boolean(),
  isPadded: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', ''),
} as const)

type Layout = typeof layout extends fc.Arbitrary<infer Value> ? Value : never
type Model = typeof groups extends fc.Arbitrary<infer Value> ? Value : never

const signed = ({ code, amount }: { readonly code: string; readonly amount: bigint }) =>
  classifyTypeCode(code) === 'DEBIT' ? -amount : amount
const sumToClosing = ({ opening, transactions }: Model[number]['accounts'][number]) =>
  transactions.reduce((sum, one) => sum + signed(one), opening)
const writeModel = (model: Model, chosen: Layout = DEFAULT) =>
  bai2File(
    model.map((group) => ({
      ...group,
      accounts: group.accounts.map((one) => ({
        ...one,
        summaries: [
          ['010', one.opening],
          ['015', sumToClosing(one)],
          ['040', 7n, 'S', '1', '2', '4'],
        ] as const,
      })),
    })),
    chosen,
  )
const DEFAULT = { fieldsMax: 1_000, isTextBelow: false, isPadded: false, lineEnd: '\n' } as const
const isoDay = (day: string) => `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4)}`

test('a BAI2 file with several accounts and days is read back, however its records are split, padded and cut', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(groups, layout, async (model, chosen) => {
      const records = await read(writeModel(model, chosen))
      expect(pickUnread(records)).toEqual([])
      const accounts = model.flatMap(({ accounts, ...group }) => accounts.map((one) => ({ group, one })))
      expect(pickStatements(records)).toMatchObject(
        accounts.map(({ group, one }) => {
          const currency = one.currency || group.currency || 'USD'
          const date = isoDay(group.date)
          return {
            statement: { kind: 'STATEMENT', account: one.account, currency },
            balances: [
              { type: 'OPBD', amount: one.opening, currency, date },
              { type: 'CLBD', amount: sumToClosing(one), currency, date },
            ],
            entries: one.transactions.length,
            contradiction: null,
          }
        }),
      )
      const expected = accounts.flatMap(({ group, one }) =>
        one.transactions.map((each) => ({ ...each, bookedOn: isoDay(group.date) })),
      )
      expect(entriesOf(records)).toMatchObject(
        expected.map(({ code, bank, customer, bookedOn, funds: [type, day], ...one }) => ({
          amount: signed({ code, ...one }),
          transactionCode: code,
          bookedOn,
          valueOn: type === 'V' && day ? isoDay(day) : null,
          servicerReference: bank || null,
          reference: customer || null,
          text: one.texts.join(' ') || null,
        })),
      )
      const described = expected.filter(({ bank, customer, texts }) => bank || customer || texts.length > 0)
      expect(transactionsOf(records).map(({ references }) => references.slice(0, 6))).toEqual(
        described.map(({ bank, customer, texts }) =>
          [
            ...(customer ? [{ where: 'CustomerReference', text: customer }] : []),
            ...(bank ? [{ where: 'BankReference', text: bank }] : []),
            ...[...texts, ...(texts.length > 1 ? [texts.join(' '), texts.join('')] : [])].map((one) => ({
              where: 'Text',
              text: one,
            })),
          ].slice(0, 6),
        ),
      )
    }),
    { numRuns: 200 },
  )
})

test('a BAI2 file with a changed character in a total or count is refused', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(
      groups,
      fc.nat(),
      fc.nat(),
      fc.constantFrom(...'0123456789+-,/ X'),
      async (model, which, at, to) => {
        const lines = writeModel(model).split('\n')
        const trailers = lines.flatMap((line, index) => (/^(?:49|98|99),/.test(line) ? [index] : []))
        const index = trailers[which % trailers.length] ?? 0
        const line = lines[index] ?? ''
        const place = 3 + (at % (line.length - 4))
        fc.pre(line[place] !== to && line[place] !== ',')
        lines[index] = `${line.slice(0, place)}${to}${line.slice(place + 1)}`
        expect(await refusal(lines.join('\n'))).toMatch(/^line \d+: record (?:49|98|99) says that/)
      },
    ),
    { numRuns: 300 },
  )
})

test('a BAI2 file with a missing or repeated record, or a changed digit in an amount, is refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      groups,
      fc.nat(),
      fc.constantFrom('missing', 'twice', 'amount'),
      async (model, which, fault) => {
        const lines = writeModel(model).trimEnd().split('\n')
        const index = which % lines.length
        if (fault === 'missing') lines.splice(index, 1)
        else if (fault === 'twice') lines.splice(index, 0, lines[index] ?? '')
        else {
          const amountStart = /^(16,\d{3},\d*)(\d)/.exec(lines[index] ?? '')
          fc.pre(amountStart !== null)
          lines[index] = (lines[index] ?? '').replace(
            /^(16,\d{3},\d*)(\d)/,
            (_, head, digit) => `${head}${(Number(digit) + 1) % 10}`,
          )
        }
        expect(await refusal(lines.join('\n'))).not.toBe('is read')
      },
    ),
    { numRuns: 200 },
  )
})
