import { PAYMENT_SCHEDULE_TRANSITIONS } from '@countersign/contract/states/schedule-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { PaymentSchedule } from './schedule.ts'

/** The actions on a schedule. */
export function ScheduleActions({ schedule }: { readonly schedule: PaymentSchedule }) {
  const client = useQueryClient()
  const denied = useDenied('TRANSACT')
  const { id, status, upcoming } = schedule
  const next = PAYMENT_SCHEDULE_TRANSITIONS[status]
  const onDone = () => {
    for (const noun of ['schedules', 'approvals']) void client.invalidateQueries({ queryKey: [noun] })
  }
  const inactiveReason = next.cancel === null ? 'It has ended.' : undefined
  return (
    <>
      <ActionButton
        label="Cancel"
        done="Canceled the schedule."
        denied={denied ?? inactiveReason}
        act={async () => await countersign.paymentSchedules.cancel(id)}
        ask={{
          title: 'Cancel this schedule?',
          text: 'Nothing more is paid. Payments that were sent continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Skip next"
        done="Skipped the next payment."
        denied={denied ?? describeInactive(status)}
        act={async () =>
          await countersign.paymentSchedules.skip(id, upcoming[0] ? { date: upcoming[0].date } : {})
        }
        ask={{
          title: 'Skip the next payment?',
          text: `The payment of ${upcoming[0]?.date ?? 'the next date'} is not made. The others stay.`,
        }}
        onDone={onDone}
      />
      <PauseOrResume schedule={schedule} denied={denied} onDone={onDone} />
      <Approve schedule={schedule} onDone={onDone} />
    </>
  )
}

interface PartProps {
  readonly schedule: PaymentSchedule
  readonly onDone: () => void
}

function PauseOrResume({
  schedule: { id, status },
  denied,
  onDone,
}: PartProps & { readonly denied: string | undefined }) {
  if (PAYMENT_SCHEDULE_TRANSITIONS[status].resume !== null)
    return (
      <ActionButton
        label="Resume"
        done="Resumed the schedule."
        variant="filled"
        denied={denied}
        act={async () => await countersign.paymentSchedules.resume(id)}
        onDone={onDone}
      />
    )
  return (
    <ActionButton
      label="Pause"
      done="Paused the schedule."
      denied={denied ?? describeInactive(status)}
      act={async () => await countersign.paymentSchedules.pause(id)}
      onDone={onDone}
    />
  )
}

function Approve({ schedule: { id, status }, onDone }: PartProps) {
  const denied = useDenied('APPROVE')
  if (PAYMENT_SCHEDULE_TRANSITIONS[status].approve === null) return null
  return (
    <ActionButton
      label="Approve"
      done="Your approval of the schedule is recorded."
      variant="filled"
      denied={denied}
      act={async () => await countersign.paymentSchedules.approve(id)}
      ask={{
        title: 'Approve this schedule?',
        text: 'The last required approval makes it active: it then pays by its rule.',
      }}
      onDone={onDone}
    />
  )
}

function describeInactive(status: PaymentSchedule['status']): string | undefined {
  return PAYMENT_SCHEDULE_TRANSITIONS[status].pause === null
    ? 'Only an active schedule has a next payment.'
    : undefined
}
