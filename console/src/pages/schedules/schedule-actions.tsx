import { PAYMENT_SCHEDULE_TRANSITIONS } from '@countersign/contract/states/schedule-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { PaymentSchedule } from './schedule.ts'

/** The actions on a schedule. */
export function ScheduleActions({ schedule }: { readonly schedule: PaymentSchedule }) {
  const client = useQueryClient()
  const disabledReason = useMissingPermission('TRANSACT')
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
        successText="Schedule canceled."
        disabledReason={disabledReason ?? inactiveReason}
        act={async () => await countersign.paymentSchedules.cancel(id)}
        question={{
          title: 'Cancel this schedule?',
          text: 'No further payments are made. Payments that were already sent continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Skip next"
        successText="Next payment skipped."
        disabledReason={disabledReason ?? describeInactive(status)}
        act={async () =>
          await countersign.paymentSchedules.skip(id, upcoming[0] ? { date: upcoming[0].date } : {})
        }
        question={{
          title: 'Skip the next payment?',
          text: `The payment on ${upcoming[0]?.date ?? 'the next date'} is skipped. Later payments are not affected.`,
        }}
        onDone={onDone}
      />
      <PauseOrResume schedule={schedule} disabledReason={disabledReason} onDone={onDone} />
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
  disabledReason,
  onDone,
}: PartProps & { readonly disabledReason: string | undefined }) {
  if (PAYMENT_SCHEDULE_TRANSITIONS[status].resume !== null)
    return (
      <ActionButton
        label="Resume"
        successText="Schedule resumed."
        variant="filled"
        disabledReason={disabledReason}
        act={async () => await countersign.paymentSchedules.resume(id)}
        onDone={onDone}
      />
    )
  return (
    <ActionButton
      label="Pause"
      successText="Schedule paused."
      disabledReason={disabledReason ?? describeInactive(status)}
      act={async () => await countersign.paymentSchedules.pause(id)}
      onDone={onDone}
    />
  )
}

function Approve({ schedule: { id, status }, onDone }: PartProps) {
  const disabledReason = useMissingPermission('APPROVE')
  if (PAYMENT_SCHEDULE_TRANSITIONS[status].approve === null) return null
  return (
    <ActionButton
      label="Approve"
      successText="Your approval of the schedule is recorded."
      variant="filled"
      disabledReason={disabledReason}
      act={async () => await countersign.paymentSchedules.approve(id)}
      question={{
        title: 'Approve this schedule?',
        text: 'The last required approval activates it. It then pays according to its rule.',
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
