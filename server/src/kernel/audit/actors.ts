import type { AuditActorType } from '@countersign/contract/core/actors'
import type { Actor } from '../operation/app.ts'

/** The actor in the audit trail and the request log. */
export interface NamedActor {
  readonly actor_type: AuditActorType
  readonly actor_id: string | null
  readonly actor_name: string | null
}

type Kind = Actor['kind']
type OfKind<K extends Kind> = Extract<Actor, { kind: K }>

/** Maps each kind of caller to its name. Null for actors that do not call the API. */
const NAMED: { readonly [K in Kind]: ((actor: OfKind<K>) => NamedActor) | null } = {
  token: ({ tokenId, tokenName }) => toNamedActor('TOKEN', tokenId, tokenName),
  member: ({ memberId, memberName }) => toNamedActor('MEMBER', memberId, memberName),
  // A person who is signing in as that team member.
  visitor: ({ memberId }) => toNamedActor('MEMBER', memberId),
  agent: ({ agentId, agentName }) => toNamedActor('AGENT', agentId, agentName),
  // An agent that redeems its code: the entry's object is the agent.
  deviceCode: () => toNamedActor('AGENT', null),
  customer: ({ customerId }) => toNamedActor('CUSTOMER', customerId),
  kycLink: ({ customerId }) => toNamedActor('CUSTOMER', customerId),
  operator: () => toNamedActor('OPERATOR', null),
  cardProcessor: null,
  verificationProvider: null,
  rail: null,
  job: null,
  fileLink: null,
}

function toNamedActor(actor_type: AuditActorType, actor_id: string | null, actor_name?: string): NamedActor {
  return { actor_type, actor_id, actor_name: actor_name ?? null }
}

/** The name of a caller; undefined for jobs, and for systems that report to us. */
export function nameOf(actor: Actor): NamedActor | undefined {
  const name = NAMED[actor.kind] as ((actor: Actor) => NamedActor) | null
  return name?.(actor)
}

/** The actor of a row as the API shows it. */
export function actorView({ actor_type, actor_id, actor_name }: NamedActor) {
  return {
    type: actor_type,
    ...(actor_id === null ? {} : { id: actor_id }),
    ...(actor_name === null ? {} : { name: actor_name }),
  }
}
