import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { Int64 } from '../core/schema.ts'

/**
 * The platform's position in one currency, which results from its conversions. Amounts are in the smallest
 * unit.
 */
export const Position = Type.Object({
  currency: Currency,
  position: Int64({
    description:
      'The amount bought less the amount sold, by conversions that were delivered and not returned. Negative: short',
  }),
  inFlight: Type.Object(
    {
      bought: Int64({ minimum: 0, description: 'The amount that they will add' }),
      sold: Int64({ minimum: 0, description: 'The amount that they will subtract' }),
    },
    { description: 'Executed quotes that are still PROCESSING' },
  ),
  limit: Type.Optional(
    Int64({ minimum: 0, description: 'The maximum short position. Absent if it is not limited' }),
  ),
  available: Type.Optional(
    Int64({
      description:
        'The amount that can still be sold: limit + position - inFlight.sold. Negative if returned ' +
        'payments or a lowered limit have exceeded the limit',
    }),
  ),
})

/** The platform's own money, which agents and customers must not see. */
export const position_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/positions',
  tag: 'Positions',
  summary: "List the platform's positions in currencies",
  description:
    'Shows how much of each currency the platform holds from conversions, with one entry for each ' +
    'currency that a conversion has bought or sold, or whose position is limited. A quote that would ' +
    'sell more than the limit allows returns 503 POSITION_LIMIT_REACHED.',
  responses: { 200: Type.Object({ data: Type.Array(Position) }) },
  errors: [],
})

export const positions = { position_list }
