import type { AuditActor as ActorSchema } from '@countersign/contract/core/actors'
import type { Static } from 'typebox'
import { findPagePathById } from '../app/page-paths.ts'
import { wordsOf } from './status-meaning.ts'
import { TextLink } from './text-link.tsx'

export type AuditActor = Static<typeof ActorSchema>

/** The caller's name at that time. */
export function actorText(actor: AuditActor | undefined): string {
  return actor === undefined ? 'Unknown' : (actor.name ?? wordsOf(actor.type))
}

/** The caller and its kind, with a link to its page, if it has one. */
export function Actor({ of }: { readonly of: AuditActor | undefined }) {
  const to = of?.id === undefined ? undefined : findPagePathById(of.id)
  const text = actorText(of)
  return (
    <span>
      <span dir="auto" className="anywhere">
        {to === undefined ? text : <TextLink to={to}>{text}</TextLink>}
      </span>
      {of?.name !== undefined && <span className="soft"> · {wordsOf(of.type)}</span>}
    </span>
  )
}
