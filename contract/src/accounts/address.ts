import { Type } from 'typebox'
import { CountryCode } from '../core/formats.ts'
import { Text } from '../core/schema.ts'

/** A postal address. */
export const Address = Type.Object({
  line1: Text(255),
  line2: Type.Optional(Text(255)),
  city: Type.Optional(Text(255)),
  state: Type.Optional(Text(255, { description: 'State, province or region' })),
  postalCode: Text(32),
  country: CountryCode,
})
