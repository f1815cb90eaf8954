import { Type } from 'typebox'
import { Prose } from '../core/schema.ts'
import { PaymentAccountInfo } from './account-types.ts'

/** Payment instructions for a person or a program (specification 2.8). */
export const PaymentInstructions = Type.Object({
  accountOrWalletInfo: PaymentAccountInfo,
  instructionsNotes: Type.Optional(Prose(1000, { description: 'Instructions for the person who pays' })),
  isPlatformAccount: Type.Optional(
    Type.Boolean({ description: 'True if the account belongs to the platform and not to one customer' }),
  ),
})
