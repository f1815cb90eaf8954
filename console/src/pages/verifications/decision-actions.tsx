import { present } from '@countersign/contract/core/objects'
import { VERIFICATION_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { RequestButton } from './request-button.tsx'
import type { Verification } from './verification.ts'

const APPROVAL = {
  text: 'The customer may hold and move money from now on. Owners that are still pending are approved too.',
  needsReason: false,
}

const REJECTION = {
  text: 'The customer cannot hold or move money. Only the server’s operator can reopen the verification.',
  needsReason: true,
}

function invalidateCase(client: QueryClient): void {
  for (const resource of ['verifications', 'customers', 'overview'])
    void client.invalidateQueries({ queryKey: [resource] })
}

/** A reviewer's three decisions. The transition table determines which ones are available. */
export function DecisionActions(props: {
  readonly verification: Verification
  /** The customer, then the owners. */
  readonly holders: readonly { readonly id: string; readonly name: string }[]
  /** Called after a decision to open the next case. */
  readonly openNext: () => void
}) {
  const { verification, holders, openNext: next } = props
  const name = holders[0]?.name ?? 'the customer'
  const { id, verificationStatus, submission } = verification
  const client = useQueryClient()
  const permission = useMissingPermission('REVIEW')
  const events = VERIFICATION_TRANSITIONS[verificationStatus]
  const state = formatConstant(verificationStatus).toLowerCase()
  const findObstacle = (event: 'approve' | 'reject' | 'find_errors') =>
    permission ?? (events[event] === null ? `Not possible while the case is ${state}.` : undefined)
  const onDone = () => {
    invalidateCase(client)
    next()
  }
  // A decision refers to the submission that was reviewed. If the customer has submitted again in the
  // meantime, the new submission must be reviewed.
  const reviewed = submission > 0 ? { submission } : {}
  return (
    <>
      <ActionButton
        label="Approve"
        variant="filled"
        disabledReason={findObstacle('approve')}
        hotkey="a"
        successText={`Approved ${name}.`}
        question={{ title: `Approve ${name}?`, ...APPROVAL }}
        act={(reason) =>
          countersign.verifications.decide(id, {
            decision: 'APPROVE',
            ...reviewed,
            ...present({ reason: reason || undefined }),
          })
        }
        onDone={onDone}
      />
      <RequestButton
        verification={verification}
        holders={holders}
        disabledReason={findObstacle('find_errors')}
        onDone={onDone}
      />
      <ActionButton
        label="Reject"
        color="red"
        disabledReason={findObstacle('reject')}
        hotkey="r"
        successText={`Rejected ${name}.`}
        question={{ title: `Reject ${name}?`, ...REJECTION }}
        act={(reason) => countersign.verifications.decide(id, { decision: 'REJECT', reason, ...reviewed })}
        onDone={onDone}
      />
    </>
  )
}
