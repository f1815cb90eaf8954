import { Type } from 'typebox'
import { Prose } from '../core/schema.ts'
import { PaymentAccountInfo } from './account-types.ts'

/** Where to pay to, for a person or for a program (specification 2.8). */
export const PaymentInstructions = Type.Object({
  accountOrWalletInfo: PaymentAccountInfo,
  instructionsNotes: Type.Optional(Prose(1000, { description: 'For the person who pays' })),
  isPlatformAccount: Type.Optional(
    Type.Boolean({ description: 'Whether the account is of the platform and not of one customer' }),
  ),
})
