import { type Static, Type } from 'typebox'
import { OneOfWords } from '../core/schema.ts'
import { ConnectorMoney } from './protocol.ts'
import { text } from './words.ts'

/**
 * The bodies exchanged between Countersign and the operator's own address screening service.
 * docs/screening.md explains them. Receivers ignore unknown fields.
 */
export const ScreeningRequest = Type.Object({
  network: text(40, 'ETHEREUM, BASE, POLYGON, …; EVM if the chain is not known'),
  address: text(4096, 'As written by the payee or the rail'),
  direction: OneOfWords(['PAY', 'CREDIT']),
  amount: ConnectorMoney,
  subject: text(96, 'The transaction or the deposit; the same at every attempt'),
})
export type ScreeningRequest = Static<typeof ScreeningRequest>

export const ScreeningResponse = Type.Object({
  outcome: OneOfWords(['CLEAR', 'HIT']),
  list: Type.Optional(text(100, 'The list that it is on')),
  detail: Type.Optional(text(500, "The list's comment on the address")),
})
export type ScreeningResponse = Static<typeof ScreeningResponse>
