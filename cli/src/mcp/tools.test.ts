import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { describe, expect, test } from 'vitest'
import { withWords } from './answer-words.ts'
import { listTools, TOOLS } from './tools.ts'

interface Schema {
  readonly format?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $defs?: Readonly<Record<string, Schema>>
}

const tools = listTools(undefined)
const outputOf = (name: string) => tools.find((tool) => tool.name === name)!.outputSchema as Schema

/** Every property of a schema and of those inside it. */
function propertiesOf(schema: Schema): [string, Schema][] {
  const inside = [...(schema.anyOf ?? schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])]
  const own = Object.entries(schema.properties ?? {})
  const named = Object.values(schema.$defs ?? {})
  return [...own, ...[...own.map(([, one]) => one), ...inside, ...named].flatMap(propertiesOf)]
}

const holdsAmount = ({ format, anyOf = [] }: Schema): boolean => format === 'int64' || anyOf.some(holdsAmount)

describe('the answers of the tools', () => {
  test.each(Object.entries(TOOLS))(
    '%s: every amount of the contract has its words beside it',
    (name, tool) => {
      const [answer] = Object.values((API[tool.call] as Endpoint).responses)
      const amounts = new Set(
        propertiesOf(answer as Schema).flatMap(([member, schema]) => (holdsAmount(schema) ? [member] : [])),
      )
      const shown = new Set(propertiesOf(outputOf(name)).map(([member]) => member))
      for (const amount of amounts) {
        expect(shown, amount).toContain(amount)
        expect(shown, amount).toContain(`${amount}InWords`)
      }
      expect(shown.has('statusInWords')).toBe(/transfer_|execute_|_action|decision/.test(name))
    },
  )

  test('their schemas are closed: every reference leads to a definition', () => {
    for (const { name, outputSchema } of tools) {
      const { $defs = {} } = outputSchema as Schema
      const references = [...JSON.stringify(outputSchema).matchAll(/"\$ref":"([^"]+)"/g)].map(
        ([, one]) => one,
      )
      for (const reference of references)
        expect(Object.keys($defs), name).toContain(reference!.replace('#/$defs/', ''))
    }
  })

  test('the list of tools is a tenth of what the contract says of their answers', () => {
    const whole = Object.values(TOOLS).map(({ call }) => Object.values((API[call] as Endpoint).responses)[0])
    expect(JSON.stringify(tools).length).toBeLessThan(200_000)
    expect(JSON.stringify(whole).length).toBeGreaterThan(800_000)
  })
})

test('words follow the currency that an amount is in, whichever object names it', () => {
  const [usd, xof] = ['USD', 'XOF'].map((code, at) => ({
    code,
    name: code,
    symbol: code,
    decimals: at ? 0 : 2,
  }))
  expect(
    withWords({
      totalSendingAmount: 2n ** 60n,
      sendingCurrency: usd,
      totalReceivingAmount: 5n,
      receivingCurrency: xof,
      rateDetails: { counterpartyFixedFee: 7n, svcApiFixedFee: 7n },
    }),
  ).toMatchObject({
    totalSendingAmountInWords: '11529215046068469.76 USD',
    totalReceivingAmountInWords: '5 XOF',
    rateDetails: { counterpartyFixedFeeInWords: '7 XOF', svcApiFixedFeeInWords: '0.07 USD' },
  })
  const amounts = { sentAmount: { amount: 1n, currency: usd }, receivedAmount: { amount: 2n, currency: xof } }
  expect(withWords({ type: 'INCOMING', fees: 3n, ...amounts })).toMatchObject({ feesInWords: '3 XOF' })
  expect(withWords({ type: 'OUTGOING', fees: 3n, ...amounts })).toMatchObject({ feesInWords: '0.03 USD' })
  const policy = { spendingLimits: { currency: 'USD', dailyLimit: null, perTransactionLimit: 100n } }
  expect(
    withWords({ policy: { ...policy, approvalThresholds: { amount: 5n } }, usage: { dailySpend: 1n } }),
  ).toEqual({
    policy: {
      spendingLimits: { ...policy.spendingLimits, perTransactionLimitInWords: '1.00 USD' },
      approvalThresholds: { amount: 5n, amountInWords: '0.05 USD' },
    },
    usage: { dailySpend: 1n, dailySpendInWords: '0.01 USD' },
  })
  const counted = { rule: 'dailyTransactionLimit', asked: 1n, left: 0n, currency: 'USD' }
  expect(withWords(counted)).toEqual(counted)
})
