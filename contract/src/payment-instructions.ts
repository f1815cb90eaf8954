import { Type } from 'typebox'
import { FreeForm, Text } from './schema.ts'

/** Where to pay to (specification 2.8). */
export const PaymentInstructions = Type.Object({
  accountOrWalletInfo: FreeForm(),
  instructionsNotes: Type.Optional(Text(1000)),
  isPlatformAccount: Type.Optional(Type.Boolean()),
})
