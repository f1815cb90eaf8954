import { Type } from 'typebox'
import { ID_KINDS, IdOfAny } from './ids.ts'
import { keysOf } from './objects.ts'
import { OneOfWords, Text } from './schema.ts'

export const AUDIT_ACTORS = ['MEMBER', 'TOKEN', 'AGENT', 'CUSTOMER', 'OPERATOR'] as const
export type AuditActorType = (typeof AUDIT_ACTORS)[number]

/** The caller of an API call. */
export const AuditActor = Type.Object({
  type: OneOfWords(AUDIT_ACTORS, "TOKEN: the platform's backend. OPERATOR: a person at the server"),
  id: Type.Optional(IdOfAny(keysOf(ID_KINDS), 'The id of the member, token, agent or customer')),
  name: Type.Optional(Text(255, { description: "The actor's name at that time" })),
})
