import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMissingPermission } from '../../session/me.ts'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { ScheduleForm } from './schedule-form.tsx'

/** A button that opens the form for a new schedule, and afterwards the schedule's page. */
export function NewSchedule() {
  const disabledReason = useMissingPermission('TRANSACT')
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <DialogButton
      label="New schedule"
      title="New schedule"
      size="lg"
      disabledReason={disabledReason}
      onDone={() => void client.invalidateQueries({ queryKey: ['schedules'] })}
    >
      {({ onDone }) => (
        <ScheduleForm
          onDone={(id) => {
            onDone()
            void navigate({ to: '/schedules/$paymentScheduleId', params: { paymentScheduleId: id } })
          }}
        />
      )}
    </DialogButton>
  )
}
