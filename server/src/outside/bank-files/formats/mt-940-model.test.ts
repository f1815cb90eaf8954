import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isOut, mt940File, read, refusal, type SampleMtLayout, signed } from './mt-940.testing.ts'
import { entriesOf, pickStatements, pickUnread, transactionsOf } from './samples.testing.ts'

/** A model of files, from which the expected records follow. */
const amount = fc.bigInt({ min: 1n, max: 10n ** 12n })
const reference = fc.stringMatching(/^[A-Z1-9]{1,12}$/)
const word = fc.stringMatching(/^[A-Za-z1-9.,()']{1,12}$/)
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))
const day = fc.constantFrom('2026-11-24', '2026-11-25', '2026-12-31', '2028-02-29')
const entry = fc.record(
  {
    amount,
    mark: fc.constantFrom('C', 'D', 'RC', 'RD'),
    bookedOn: day,
    type: fc.constantFrom('NTRF', 'NCHG', 'FMSC', 'S103', 'N051', 'NRTI'),
    owner: reference,
    bank: reference,
    details: fc.constantFrom([], ['/OCMT/USD12,34/'], ['CARD 1', 'TERMINAL 2']),
    gvc: fc.constantFrom('166', '116', '808', '159'),
    endToEndId: reference,
    name: text,
    account: fc.constantFrom('DE02120300000000202051', 'NL91ABNA0417164300'),
    text,
  },
  { requiredKeys: ['amount'] },
)
const messages = fc.array(
  fc.record({
    account: fc.constantFrom('DE89370400440532013000', '37040044/0532013000', '77'),
    currency: fc.constantFrom('EUR', 'USD', 'JPY', 'KWD'),
    opening: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    entries: fc.array(entry, { maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 3 },
)
const layout: fc.Arbitrary<SampleMtLayout> = fc.record({
  information: fc.constantFrom('GERMAN', 'CODE_WORDS', 'PLAIN'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  envelope: fc.constantFrom('BLOCKS', 'HEADER_LINES', 'TAG', 'BARE'),
  lineCharactersMax: fc.constantFrom(65, 61, 400),
} as const)

test('an MT940 file with several accounts is read back in every envelope and text format', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(messages, layout, async (model, chosen) => {
      const records = await read(mt940File(model, chosen))
      expect(pickUnread(records)).toEqual([])
      expect(pickStatements(records)).toMatchObject(
        model.map(({ account, currency, opening, entries }) => {
          const closing = entries.reduce((sum, one) => sum + signed(one), opening)
          return {
            statement: { kind: 'STATEMENT', account, currency, page: null },
            balances: [
              { type: 'OPBD', amount: opening, currency },
              { type: 'CLBD', amount: closing, currency },
              { type: 'CLAV', amount: closing },
            ],
            entries: entries.length,
            contradiction: null,
          }
        }),
      )
      const expected = model.flatMap(({ entries }) => entries)
      expect(entriesOf(records)).toMatchObject(
        expected.map((one) => ({
          amount: signed(one),
          isReversal: one.mark?.startsWith('R') ?? false,
          bookedOn: one.bookedOn ?? '2026-11-25',
          transactionCode: one.type ?? 'NTRF',
          reference: one.owner ?? null,
          servicerReference: one.bank ?? null,
          gvc: chosen.information === 'GERMAN' ? (one.gvc ?? '166') : null,
        })),
      )
    }),
    { numRuns: 200 },
  )
})

test('the party, the end-to-end id and every word of an MT940 entry are found, however the bank splits its lines', async () => {
  const one = fc.record({ amount, endToEndId: reference, name: text, text, bank: reference })
  await fc.assert(
    fc.asyncProperty(one, fc.constantFrom('C', 'D'), layout, async (entry, mark, chosen) => {
      const account = 'DE02120300000000202051'
      const file = mt940File([{ account: '77', entries: [{ ...entry, account, mark }] }], chosen)
      const [found] = transactionsOf(await read(file))
      const words = found?.references
        .map((reference) => reference.text)
        .join(' ')
        .replaceAll(' ', '')
      expect(words).toContain(entry.text.replaceAll(' ', ''))
      if (chosen.information === 'PLAIN') return
      const other = isOut({ mark }) ? found?.creditor : found?.debtor
      expect(found?.endToEndId).toBe(entry.endToEndId)
      expect(other?.account).toBe(account)
      // German banks have two pieces of 27 characters for a name.
      expect(entry.name.startsWith(other?.name?.slice(0, 27) ?? '?')).toBe(true)
      expect(found?.remittanceInformation?.replaceAll(' ', '')).toContain(entry.text.replaceAll(' ', ''))
    }),
    { numRuns: 200 },
  )
})

test('a changed digit in an MT940 balance or amount makes the statement contradictory', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      messages,
      fc.nat(),
      fc.nat(),
      fc.constantFrom(...'0123456789'),
      async (model, which, at, to) => {
        const lines = mt940File(model, { lineEnd: '\n' }).split('\n')
        const amounts = lines.flatMap((line, index) => (/^:(?:60F|61|62F):/.test(line) ? [index] : []))
        const index = amounts[which % amounts.length] ?? 0
        const line = lines[index] ?? ''
        const [, head = '', figure = '', rest = ''] =
          /^(:6[02]F:[CD]\d{6}[A-Z]{3}|:61:\d{6}(?:\d{4})?R?[CD])(\d+,\d*)(.*)$/.exec(line) ?? []
        const place = at % figure.indexOf(',')
        fc.pre(figure[place] !== to)
        lines[index] = `${head}${figure.slice(0, place)}${to}${figure.slice(place + 1)}${rest}`
        const records = await read(lines.join('\n'))
        expect(pickStatements(records).filter(({ contradiction }) => contradiction !== null)).toHaveLength(1)
      },
    ),
    { numRuns: 200 },
  )
})

test('an MT940 file with a missing or repeated field is refused or contradictory', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.nat(), fc.boolean(), async (model, which, isMissing) => {
      const lines = mt940File(model, { lineEnd: '\n' }).trimEnd().split('\n')
      const heads = lines.flatMap((line, index) => (/^:(?:20|25|60F|61|62F):/.test(line) ? [index] : []))
      const index = heads[which % heads.length] ?? 0
      lines.splice(index, isMissing ? 1 : 0, ...(isMissing ? [] : [lines[index] ?? '']))
      const text = lines.join('\n')
      const outcome = await refusal(text)
      if (outcome !== 'is read') return
      const contradictory = pickStatements(await read(text)).filter(
        ({ contradiction }) => contradiction !== null,
      )
      expect(contradictory).toHaveLength(1)
    }),
    { numRuns: 200 },
  )
})
