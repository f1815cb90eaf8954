import { Type } from 'typebox'

/**
 * Text of 1 to `maxLength` characters that a database can store. There is no other restriction, because banks
 * send arbitrary text.
 */
export function text(maxLength: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    wellFormed: true,
    ...(description === undefined ? {} : { description }),
  })
}
