import type { AuditActor as ActorSchema } from '@countersign/contract/core/actors'
import type { Static } from 'typebox'
import { findPagePathById } from '../app/page-paths.ts'
import { formatConstant } from './status-meaning.ts'
import { TextLink } from './text-link.tsx'

export type AuditActor = Static<typeof ActorSchema>

/** The caller's name at the time of the call. */
export function formatActor(actor: AuditActor | undefined): string {
  return actor === undefined ? 'Unknown' : (actor.name ?? formatConstant(actor.type))
}

/** The caller's name and kind, linked to the caller's page if there is one. */
export function Actor({ actor }: { readonly actor: AuditActor | undefined }) {
  const to = actor?.id === undefined ? undefined : findPagePathById(actor.id)
  const text = formatActor(actor)
  return (
    <span>
      <span dir="auto" className="anywhere">
        {to === undefined ? text : <TextLink to={to}>{text}</TextLink>}
      </span>
      {actor?.name !== undefined && <span className="soft"> · {formatConstant(actor.type)}</span>}
    </span>
  )
}
