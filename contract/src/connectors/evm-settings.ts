import { Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { Int64 } from '../core/schema.ts'

/** Settings for the fees that a chain rail pays and charges. */
export const EvmFees = Type.Object({
  maxGwei: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100_000,
      description:
        "The maximum price of a unit of gas. While the network's price is higher, payments wait. Default: 500",
    }),
  ),
  stuckSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description:
        'The time after which a transaction that is in no block is replaced with one that pays higher fees. Default: 60',
    }),
  ),
  marginPercent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "The percentage that quotes and estimates add to the network's fee. Default: 20",
    }),
  ),
  gasUnits: Type.Optional(
    Type.Integer({
      minimum: 21_000,
      maximum: 10_000_000,
      description:
        'The gas of one transfer in quotes and estimates. Default: 120000, or 80000 for a token without EIP-3009',
    }),
  ),
  extraWei: Type.Optional(
    Int64({
      minimum: 0,
      description:
        "The amount in wei that quotes and estimates add to the gas of each transfer: the chain's charge for its data on another chain. Default: 0",
    }),
  ),
})

/** Low-water marks for the accounts that send payments on a chain. */
export const LowWater = Type.Object({
  transfers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'A gas account is low if its coin pays for fewer transfers at current fees. Default: 100',
    }),
  ),
  treasury: Type.Optional(
    Type.Array(
      Type.Object({
        currency: CurrencyCode,
        amount: Int64({ minimum: 0, description: 'In the smallest unit' }),
      }),
      {
        maxItems: 20,
        description:
          'The treasury is low if it has less of a currency. Default for each currency: the amount paid out in the last 24 hours',
      },
    ),
  ),
})
