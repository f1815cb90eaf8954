import { Type } from 'typebox'
import { Int64 } from '../core/schema.ts'
import { OWN_SIDE } from '../core/wire-word.ts'

const ownRateDetails = {
  [OWN_SIDE.multiplier]: Type.Number({
    exclusiveMinimum: 0,
    description:
      'mSATs per smallest unit of the sending currency, for the amount less the fixed fee. Includes the variable fee',
  }),
  [OWN_SIDE.fixedFee]: Int64({ minimum: 0, description: 'In the smallest unit of the sending currency' }),
  [OWN_SIDE.variableFeeRate]: Type.Number({ minimum: 0, description: 'Fraction of the sending amount' }),
  [OWN_SIDE.variableFeeAmount]: Type.Number({
    minimum: 0,
    description:
      'In the smallest unit of the sending currency: exactly the rate times the sending amount. The charge is rounded up',
  }),
}

/**
 * The calculation of an outgoing amount (specification 2.7): (sending amount − svcApiFixedFee) ×
 * svcApiMultiplier × counterpartyMultiplier − counterpartyFixedFee = receiving amount.
 */
export const OutgoingRateDetails = Type.Object({
  counterpartyMultiplier: Type.Number({
    exclusiveMinimum: 0,
    description: 'Smallest units of the receiving currency per mSAT. Does not depend on the amount',
  }),
  counterpartyFixedFee: Int64({ minimum: 0, description: 'In the smallest unit of the receiving currency' }),
  ...ownRateDetails,
})

/** Rate details of incoming payments and of transfers out, which only contain our own rates and fees. */
export const IncomingRateDetails = Type.Object(ownRateDetails)
