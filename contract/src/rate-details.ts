import { Type } from 'typebox'
import { Int64 } from './schema.ts'

const ownSide = {
  svcApiMultiplier: Type.Number({
    exclusiveMinimum: 0,
    description: 'From the sending currency to mSATs, with the variable fees in it',
  }),
  svcApiFixedFee: Int64({ minimum: 0, description: 'Smallest unit of the sending currency' }),
  svcApiVariableFeeRate: Type.Number({ minimum: 0, description: 'Share of the sending amount' }),
  svcApiVariableFeeAmount: Type.Number({
    minimum: 0,
    description: 'Smallest unit of the sending currency: the rate times the sending amount',
  }),
}

/** How an outgoing amount came about (specification 2.7). */
export const OutgoingRateDetails = Type.Object({
  counterpartyMultiplier: Type.Number({
    exclusiveMinimum: 0,
    description: 'From mSATs to the receiving currency, as the counterparty quoted it',
  }),
  counterpartyFixedFee: Int64({ minimum: 0, description: 'Smallest unit of the receiving currency' }),
  ...ownSide,
})

/** The same for money coming in and for transfers out: only what is our own. */
export const IncomingRateDetails = Type.Object(ownSide)
