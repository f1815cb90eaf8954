import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDenied } from '../../session/me.ts'
import { ScheduleForm } from './schedule-form.tsx'

/** The button that opens the form of a new schedule, and leads to what it has made. */
export function NewSchedule() {
  const [isOpen, { open, close }] = useDisclosure(false)
  const denied = useDenied('TRANSACT')
  const client = useQueryClient()
  const navigate = useNavigate()
  const onDone = (id: string) => {
    close()
    void client.invalidateQueries({ queryKey: ['schedules'] })
    void navigate({ to: '/schedules/$paymentScheduleId', params: { paymentScheduleId: id } })
  }
  return (
    <>
      <Button variant="filled" disabled={denied !== undefined} title={denied} onClick={open}>
        New schedule
      </Button>
      <Modal opened={isOpen} onClose={close} title="New schedule" size="lg">
        <ScheduleForm onDone={onDone} />
      </Modal>
    </>
  )
}
