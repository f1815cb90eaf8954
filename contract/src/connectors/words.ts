import { Type } from 'typebox'

/** Text of 1 to `maxLength` characters that a database can keep. Banks send what they like, so nothing else is asked. */
export function text(maxLength: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    wellFormed: true,
    ...(description === undefined ? {} : { description }),
  })
}
