import type { AuditActorType } from '@countersign/contract/core/actors'
import type { Actor } from '../operation/app.ts'

/** An actor as the audit trail and the request log show it. */
export interface NamedActor {
  readonly actor_type: AuditActorType
  readonly actor_id: string | null
  readonly actor_name: string | null
}

type Kind = Actor['kind']
type OfKind<K extends Kind> = Extract<Actor, { kind: K }>

/** The name of each kind of caller. Null for actors that do not call the API. */
const NAMED: { readonly [K in Kind]: ((actor: OfKind<K>) => NamedActor) | null } = {
  token: ({ tokenId, tokenName }) => toNamedActor('TOKEN', tokenId, tokenName),
  member: ({ memberId, memberName }) => toNamedActor('MEMBER', memberId, memberName),
  // Someone signing in as that team member.
  visitor: ({ memberId }) => toNamedActor('MEMBER', memberId),
  agent: ({ agentId, agentName }) => toNamedActor('AGENT', agentId, agentName),
  // An agent redeeming its code. The object of the audit entry is the agent.
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

/** The name of a caller. Undefined for jobs, and for external systems that report to us. */
export function nameActor(actor: Actor): NamedActor | undefined {
  const name = NAMED[actor.kind] as ((actor: Actor) => NamedActor) | null
  return name?.(actor)
}

/** The actor in a row as the API shows it. */
export function toActorView({ actor_type, actor_id, actor_name }: NamedActor) {
  return {
    type: actor_type,
    ...(actor_id === null ? {} : { id: actor_id }),
    ...(actor_name === null ? {} : { name: actor_name }),
  }
}
