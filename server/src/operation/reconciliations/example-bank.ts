import type { ConnectorStatement, StatementEntry } from '@countersign/contract/connectors/events'

/** A day of an example bank: its deposits, its statement, and the differences between them. */

/** A deposit that the bank reports. Amounts are in hundredths of the currency. */
interface ExampleDeposit {
  readonly amount: number
  readonly sender: string
  readonly text: string
  /**
   * The booking in the statement: as reported, with another amount, in a sum with others, or in lines without
   * a reference to it.
   */
  readonly stated: 'SAME' | { readonly amount: number } | 'IN_SUM' | { readonly lines: readonly number[] }
}

const DEPOSITS: readonly ExampleDeposit[] = [
  { amount: 120_000, sender: 'Ada Lovelace', text: 'Invoice 1001', stated: 'SAME' },
  { amount: 35_000, sender: 'Grace Hopper', text: 'Invoice 1002', stated: 'IN_SUM' },
  { amount: 15_000, sender: 'Edsger Dijkstra', text: 'Invoice 1003', stated: 'IN_SUM' },
  { amount: 8_000, sender: 'Barbara Liskov', text: 'Invoice 1004', stated: { amount: 7_500 } },
  { amount: 6_000, sender: 'Donald Knuth', text: 'Invoice 1005', stated: { lines: [4_000, 2_000] } },
  { amount: 4_500, sender: 'Frances Allen', text: 'Invoice 1006', stated: { lines: [4_500] } },
]

const FEE = { amount: -450, text: 'Account fee' }
const RENTAL = { amount: -2_500, text: 'Rental of a card terminal' }

/** A deposit with its id at the bank. */
export interface BookedDeposit {
  readonly name: string
  readonly amount: bigint
  readonly sender: string
  readonly text: string
}

/** The deposits of an example bank, in a currency with this many decimals. */
export function buildExampleDeposits(rail: string, decimals: number): BookedDeposit[] {
  return DEPOSITS.map(({ amount, sender, text }, index) => ({
    name: `${rail}-${index + 1}`,
    amount: toSmallestUnit(amount, decimals),
    sender,
    text,
  }))
}

/** The statement of an example bank for the day of `now`, with an opening balance of 0. */
export function buildExampleStatement(
  rail: string,
  { currency, decimals, now }: { readonly currency: string; readonly decimals: number; readonly now: Date },
): ConnectorStatement {
  const bookedAt = now.toISOString()
  const entry = (
    name: string,
    amount: number,
    details: Pick<StatementEntry, 'kind' | 'depositId' | 'text'>,
  ) => ({
    ...details,
    entryId: `${rail}-line-${name}`,
    bookedAt,
    amount: String(toSmallestUnit(amount, decimals)),
  })
  const single = DEPOSITS.flatMap(({ amount, sender, text, stated }, index) => {
    const name = String(index + 1)
    const entryText = `${sender}, ${text}`
    if (stated === 'IN_SUM') return []
    if (stated !== 'SAME' && 'lines' in stated)
      return stated.lines.map((part, index) =>
        entry(`${name}-${index + 1}`, part, { kind: 'OTHER', text: entryText }),
      )
    const booked = stated === 'SAME' ? amount : stated.amount
    return [entry(name, booked, { kind: 'DEPOSIT', depositId: `${rail}-${name}`, text: entryText })]
  })
  const summed = DEPOSITS.filter(({ stated }) => stated === 'IN_SUM')
  const sum = summed.reduce((total, { amount }) => total + amount, 0)
  const entries = [
    ...single,
    entry('sum', sum, { kind: 'OTHER', text: `Collective credit, ${summed.length} items` }),
    entry('fee', FEE.amount, { kind: 'FEE', text: FEE.text }),
    entry('rental', RENTAL.amount, { kind: 'OTHER', text: RENTAL.text }),
  ]
  return {
    statementId: `${rail}-statement`,
    date: bookedAt.slice(0, 'YYYY-MM-DD'.length),
    currency,
    openingBalance: '0',
    closingBalance: String(entries.reduce((total, { amount }) => total + BigInt(amount), 0n)),
    entries,
  }
}

/**
 * Converts hundredths to the smallest unit of a currency, rounded toward zero if it has fewer than two
 * decimals.
 */
function toSmallestUnit(hundredths: number, decimals: number): bigint {
  return (BigInt(hundredths) * 10n ** BigInt(decimals)) / 100n
}
