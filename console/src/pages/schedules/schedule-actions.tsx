import { PAYMENT_SCHEDULE_TRANSITIONS } from '@countersign/contract/states/schedule-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import type { PaymentSchedule } from './schedule.ts'

/** The buttons of a schedule. */
export function ScheduleActions({ schedule }: { readonly schedule: PaymentSchedule }) {
  const client = useQueryClient()
  const denied = useDenied('TRANSACT')
  const approve = useDenied('APPROVE')
  const { id, status, upcoming } = schedule
  const next = PAYMENT_SCHEDULE_TRANSITIONS[status]
  const onDone = () => {
    for (const noun of ['schedules', 'approvals']) void client.invalidateQueries({ queryKey: [noun] })
  }
  const over = next.cancel === null ? 'It has ended.' : undefined
  const idle = next.pause === null ? 'Only an active schedule has a next payment.' : undefined
  return (
    <>
      <ActionButton
        label="Cancel"
        denied={denied ?? over}
        act={async () => await countersign.paymentSchedules.cancel(id)}
        ask={{
          title: 'Cancel this schedule?',
          text: 'Nothing more is paid. Payments that were sent continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Skip next"
        denied={denied ?? idle}
        act={async () =>
          await countersign.paymentSchedules.skip(id, upcoming[0] ? { date: upcoming[0].date } : {})
        }
        ask={{
          title: 'Skip the next payment?',
          text: `The payment of ${upcoming[0]?.date ?? 'the next date'} is not made. The others stay.`,
        }}
        onDone={onDone}
      />
      {next.resume === null ? (
        <ActionButton
          label="Pause"
          denied={denied ?? idle}
          act={async () => await countersign.paymentSchedules.pause(id)}
          onDone={onDone}
        />
      ) : (
        <ActionButton
          label="Resume"
          variant="filled"
          denied={denied}
          act={async () => await countersign.paymentSchedules.resume(id)}
          onDone={onDone}
        />
      )}
      {next.approve !== null && (
        <ActionButton
          label="Approve"
          variant="filled"
          denied={approve}
          act={async () => await countersign.paymentSchedules.approve(id)}
          ask={{
            title: 'Approve this schedule?',
            text: 'The last approval that is needed makes it active: it then pays by its rule.',
          }}
          onDone={onDone}
        />
      )}
    </>
  )
}
