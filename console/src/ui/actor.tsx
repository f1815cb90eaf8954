import type { AuditActor as ActorSchema } from '@countersign/contract/operation/audit-events'
import type { Static } from 'typebox'
import { pageOfId } from '../app/page-paths.ts'
import { wordsOf } from './status-meaning.ts'
import { TextLink } from './text-link.tsx'

export type AuditActor = Static<typeof ActorSchema>

/** Who made a call, by the name of that time. */
export function actorText(actor: AuditActor | undefined): string {
  return actor === undefined ? 'Nobody known' : (actor.name ?? wordsOf(actor.type))
}

/** Who made a call, and what kind of caller that is. Leads to its page, where it has one. */
export function Actor({ of }: { readonly of: AuditActor | undefined }) {
  const to = of?.id === undefined ? undefined : pageOfId(of.id)
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
