import { Type } from 'typebox'
import { CurrencyCode } from './formats.ts'
import { Int64 } from './schema.ts'

/** A currency as records show it (specification 2.6). */
export const Currency = Type.Object({
  code: CurrencyCode,
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer({ minimum: 0, description: 'Places between the unit and the smallest unit' }),
})

/** An amount in the smallest unit of its currency. */
export const CurrencyAmount = Type.Object({ amount: Int64(), currency: Currency })
